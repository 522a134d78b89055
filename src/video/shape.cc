#include "video/shape.h"

#include <algorithm>
#include <cmath>

namespace acutance {

bool ShapesDiffer(const ShapedVideo& reference, const ShapedVideo& distorted) {
  // Either side of the smaller picture may have been rounded by a chroma sample, and so may both.
  constexpr double kRounded = 2.5;
  const int side =
      std::min({reference.content.width, reference.content.height, distorted.content.width, distorted.content.height});
  const double a = reference.shape(), b = distorted.shape();
  return std::abs(a - b) * side > kRounded * std::min(a, b);
}

}  // namespace acutance
