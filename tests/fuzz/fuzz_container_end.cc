// Fuzz target: the start of a Matroska file, which tells where the file should end.
#include "io/ffmpeg/matroska_size.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string exact = acutance::fuzz::Exact(data, std::min(size, acutance::kDeclaredEndBytes));
  const std::optional<int64_t> end = acutance::DeclaredFileSize(exact);
  if (end && *end < 0) std::abort();
  return 0;
}
