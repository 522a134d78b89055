// Samples of a picture as libvmaf's float features have them (docs/spec/core.md 4.1).
#pragma once

#include <cstdint>

#include "image/picture.h"

namespace acutance {

/// sample / 2^(bits - 8) - 128, exact.
inline float FloatSample(const Plane& plane, int bit_depth, int x, int y) {
  if (bit_depth == 8) return static_cast<float>(plane.Row<uint8_t>(y)[x]) - 128.0f;
  return static_cast<float>(plane.Row<uint16_t>(y)[x]) / static_cast<float>(1 << (bit_depth - 8)) - 128.0f;
}

template <class Sample>
void ReadFloatSamplesOf(const Sample* from, int width, float scale, float* row) {
  for (int x = 0; x < width; ++x) row[x] = static_cast<float>(from[x]) * scale - 128.0f;
}

/// Reads the samples of a row.
inline void ReadFloatSamples(const Plane& plane, int bit_depth, int y, float* row) {
  const float scale = 1.0f / static_cast<float>(1 << (bit_depth - 8));
  if (bit_depth == 8) ReadFloatSamplesOf(plane.Row<uint8_t>(y), plane.width, scale, row);
  else ReadFloatSamplesOf(plane.Row<uint16_t>(y), plane.width, scale, row);
}

}  // namespace acutance
