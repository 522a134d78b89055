// Fuzz target: a journal with right checksums, joined. The header's lines, an empty line, then records: a byte for the
// frame, one for the number of values, and two for each value.
#include "base/hash.h"
#include "run/run_journal.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

namespace {

std::string_view AsText(const int64_t* values, size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof *values};
}

std::string JournalOf(fuzz::Input& input) {
  std::string text = "acutance journal 1\n";
  while (!input.empty()) {
    const std::string line = input.Line();
    if (line.empty()) break;
    text += line + "\n";
  }
  text += "\n";
  const uint64_t seed = Hash(text);
  const auto checksum = static_cast<int64_t>(seed);
  text += AsText(&checksum, 1);
  while (!input.empty()) {
    const int64_t head[2] = {static_cast<int8_t>(input.Byte()), input.Byte()};
    std::vector<int64_t> values(static_cast<size_t>(head[1]));
    for (int64_t& value : values) {
      const auto digits = static_cast<uint64_t>(static_cast<int8_t>(input.Byte()));
      value = static_cast<int64_t>(digits << (input.Byte() & 63));
    }
    const auto end = static_cast<int64_t>(Hash(AsText(values.data(), values.size()), Hash(AsText(head, 2), seed)));
    text += AsText(head, 2);
    text += AsText(values.data(), values.size());
    text += AsText(&end, 1);
  }
  return text;
}

}  // namespace

ACU_FUZZ_TARGET(input) {
  const std::string journal = JournalOf(input);
  const fuzz::FileOf file(journal);
  const JoinedRun joined = JoinJournals({file.path()}, 1);
  if (joined.run.error && joined.run.error->status.message().empty()) std::abort();
}
