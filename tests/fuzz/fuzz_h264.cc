// Fuzz target: the parameter sets of an H.264 stream, as containers hold them.
#include "io/h264_chroma.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string exact = acutance::fuzz::Exact(data, size);
  acutance::H264HasChroma({reinterpret_cast<const uint8_t*>(exact.data()), exact.size()});
  return 0;
}
