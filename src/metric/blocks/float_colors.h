// Red, green and blue as rows of floats.
#pragma once

#include <array>
#include <cstddef>

#include "image/picture.h"

namespace acutance {

/// A picture of linear light.
struct FloatColors {
  int width = 0, height = 0;
  std::array<const float*, 3> planes{};
  std::array<ptrdiff_t, 3> strides{};  // in floats

  const float* Row(int plane, int y) const { return planes[plane] + y * strides[plane]; }
};

/// The colors of a picture that LinearRgbInput has made.
inline FloatColors FloatColorsOf(const Picture& picture) {
  FloatColors colors = {.width = picture.format.width, .height = picture.format.height};
  for (int p = 0; p < 3; ++p) {
    colors.planes[p] = picture.planes[p].Row<float>(0);
    colors.strides[p] = picture.planes[p].stride / static_cast<ptrdiff_t>(sizeof(float));
  }
  return colors;
}

}  // namespace acutance
