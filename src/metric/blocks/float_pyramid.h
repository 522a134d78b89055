// A frame's pictures at smaller scales, and metrics that sum floats over rows of them.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "metric/blocks/float_rows.h"
#include "metric/blocks/scale_rows.h"
#include "metric/metric.h"

namespace acutance {

/// Scales 1 and up of the reference, [0], and of the distorted picture, [1].
template <class T>
class PyramidOf : public Workspace {
 public:
  using Planes = std::array<PaddedPlaneOf<T>, 2>;

  /// `sizes`: those of scales 1, 2 and so on.
  explicit PyramidOf(std::span<const PictureSize> sizes) {
    for (const auto& [width, height] : sizes) scales_.push_back({{{width, height}, {width, height}}});
  }

  Planes& At(int scale) { return scales_[scale - 1]; }

 private:
  std::vector<Planes> scales_;
};
using FloatPyramid = PyramidOf<float>;

/// Luma of both videos.
struct LumaPlanes {
  Plane reference, distorted;
};

/// A metric of several scales whose results are those of rows. `band` runs rows of a scale and makes those of the next
/// one. Layout::rows(): the rows of all scales; Layout::smaller_sizes(): of the pyramid; Buffers: one thread's.
template <class Layout, class Buffers, auto band>
class FloatScalesExtractor : public Extractor {
 public:
  explicit FloatScalesExtractor(Layout layout)
      : Extractor({.stages = layout.rows().Stages(), .words = layout.rows().count()}), layout_(std::move(layout)) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    return std::make_unique<FloatPyramid>(layout_.smaller_sizes());
  }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<Buffers>(layout_); }

  void RunBand(const FrameView& frame, int scale, RowBand rows, const Workspaces& workspaces,
               const BandResults& results) const override {
    band(layout_, scale, rows, {frame.plane(0), frame.plane(1)}, static_cast<FloatPyramid&>(*workspaces.frame),
         static_cast<Buffers&>(*workspaces.thread), layout_.rows().Of(results.words, scale));
  }

 protected:
  const Layout layout_;
};

}  // namespace acutance
