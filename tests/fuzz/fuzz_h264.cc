// Fuzz target: the parameter sets of H.264 in containers.
#include "io/ffmpeg/h264_bits.h"
#include "tests/fuzz/fuzz.h"

ACU_FUZZ_TARGET(input) {
  const std::string exact = acutance::fuzz::Exact(input.rest());
  const std::span bytes(reinterpret_cast<const uint8_t*>(exact.data()), exact.size());
  acutance::H264DeclaresReorderDepth(bytes);
}
