// Pictures of random colors for the metrics that read floats in three planes.
#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <vector>

#include "metric/blocks/float_colors.h"

namespace acutance {

/// A picture of random colors, some of them out of range; flat: all samples have one random value.
struct RandomColors {
  RandomColors(int width, int height, std::mt19937& random, bool is_flat) {
    colors.width = width;
    colors.height = height;
    const float level = static_cast<float>(random() % 100) / 100.0f;
    for (int p = 0; p < 3; ++p) {
      planes[p].resize(static_cast<size_t>(width) * height);
      for (float& value : planes[p]) value = is_flat ? level : static_cast<float>(random() % 1100) / 1000.0f - 0.05f;
      colors.planes[p] = planes[p].data();
      colors.strides[p] = width;
    }
  }
  std::array<std::vector<float>, 3> planes;
  FloatColors colors;
};

}  // namespace acutance
