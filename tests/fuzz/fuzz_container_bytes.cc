// Fuzz target: bytes of containers that are read here: EXIF of stills, and the tables of transport streams.
#include "io/ffmpeg/program_changes.h"
#include "io/ffmpeg/still_orientation.h"
#include "tests/fuzz/fuzz.h"

namespace {

using Bytes = std::vector<uint8_t>;

Bytes Pass(const Bytes& stream, size_t step) {
  acutance::ProgramChanges changes({reinterpret_cast<const char*>(stream.data()), stream.size()});
  Bytes passed(stream.size() + 1);
  size_t size = 0;
  for (size_t at = 0; at < stream.size(); at += step) {
    changes.Add(std::span(stream).subspan(at, std::min(step, stream.size() - at)));
    size += changes.Take(passed.data() + size, passed.size() - size);
  }
  changes.End();
  size += changes.Take(passed.data() + size, passed.size() - size);
  changes.Describe();
  passed.resize(size);
  return passed;
}

}  // namespace

ACU_FUZZ_TARGET(input) {
  const size_t step = 1 + input.Byte();
  const std::string exact = acutance::fuzz::Exact(input.rest());
  const Bytes bytes(exact.begin(), exact.end());
  const int orientation = acutance::StillOrientation(bytes);
  if (orientation < 0 || orientation > 8) std::abort();
  const Bytes whole = Pass(bytes, bytes.size() + 1);
  if (whole.size() != bytes.size() || Pass(bytes, step) != whole) std::abort();
}
