// Dense planes of floats, for reference implementations.
#pragma once

#include <cstddef>
#include <vector>

namespace acutance {

struct FloatPlane {
  FloatPlane(int plane_width, int plane_height)
      : width(plane_width), height(plane_height), samples(static_cast<size_t>(plane_width) * plane_height) {}

  float* Row(int y) { return samples.data() + static_cast<size_t>(y) * width; }
  float& at(int x, int y) { return samples[static_cast<size_t>(y) * width + x]; }
  float at(int x, int y) const { return samples[static_cast<size_t>(y) * width + x]; }
  /// 0 outside the plane.
  float near(int x, int y) const { return x < 0 || x >= width || y < 0 || y >= height ? 0.0f : at(x, y); }

  int width, height;
  std::vector<float> samples;  // row after row
};

}  // namespace acutance
