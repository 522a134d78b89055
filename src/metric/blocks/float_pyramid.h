// Float pictures at smaller scales, as a frame's workspace.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "metric/blocks/float_rows.h"
#include "metric/metric.h"

namespace acutance {

/// Scales 1 and up of the reference, [0], and of the distorted picture, [1].
class FloatPyramid : public Workspace {
 public:
  /// `sizes`: those of scales 1, 2 and so on.
  explicit FloatPyramid(std::span<const PictureSize> sizes) {
    for (const auto& [width, height] : sizes)
      scales_.push_back({PaddedPlane(width, height), PaddedPlane(width, height)});
  }

  std::array<PaddedPlane, 2>& At(int scale) { return scales_[scale - 1]; }

 private:
  std::vector<std::array<PaddedPlane, 2>> scales_;
};

}  // namespace acutance
