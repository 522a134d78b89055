// Fuzz target: the value of --align in the first line, then a file of pairs.
#include "align/alignment.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

ACU_FUZZ_TARGET(input) {
  static_cast<void>(ParsePairing(input.Line()).ok());
  const fuzz::FileOf file(input.rest());
  const auto pairs = ReadPairsFile(file.path());
  if (!pairs.ok()) return;
  const fuzz::FileOf copy(PairsCsv(*pairs));
  if (ReadPairsFile(copy.path()).value() != *pairs) std::abort();
  Alignment alignment{.pairs = *pairs};
  NoteUnmatched(pairs->back().first + 1, pairs->back().second + 1, alignment);
  if (alignment.Describe().empty()) std::abort();
}
