// Fuzz target: what stands after --align, and a file of pairs. The first line is the argument, the rest is the file.
#include "align/alignment.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  static_cast<void>(ParsePairing(input.Line()).ok());
  const fuzz::FileOf file(input.rest(), false);
  const auto pairs = ReadPairsFile(file.path());
  if (!pairs.ok()) return 0;
  const fuzz::FileOf copy(PairsCsv(*pairs), false);
  if (ReadPairsFile(copy.path()).value() != *pairs) std::abort();
  Alignment alignment{.pairs = *pairs};
  NoteUnmatched(pairs->back().first + 1, pairs->back().second + 1, alignment);
  if (alignment.Describe().empty()) std::abort();
  return 0;
}
