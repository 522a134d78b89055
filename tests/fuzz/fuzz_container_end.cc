// Fuzz target: the start of a Matroska file, which declares the file's size.
#include "io/ffmpeg/matroska_size.h"
#include "tests/fuzz/fuzz.h"

ACU_FUZZ_TARGET(input) {
  const std::string exact = acutance::fuzz::Exact(input.rest().substr(0, acutance::kDeclaredEndBytes));
  const std::optional<int64_t> end = acutance::DeclaredFileSize(exact);
  if (end && *end < 0) std::abort();
}
