// Fuzz target: the parameter sets of an H.264 stream, as containers hold them.
#include "io/ffmpeg/h264_chroma.h"
#include "io/ffmpeg/h264_reorder_depth.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string exact = acutance::fuzz::Exact(data, size);
  const std::span bytes(reinterpret_cast<const uint8_t*>(exact.data()), exact.size());
  acutance::H264HasChroma(bytes);
  acutance::H264DeclaresReorderDepth(bytes);
  return 0;
}
