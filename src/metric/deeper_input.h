// Pictures of a video expanded to a deeper bit depth, for metrics that are defined on it.
#pragma once

#include <string>

#include "metric/derived_input.h"

namespace acutance {

/// Samples times a power of two (image/expand_plane.h).
class DeeperInput : public DerivedInput {
 public:
  explicit DeeperInput(int bit_depth) : bit_depth_(bit_depth) {}

  std::string key() const override { return fmt::format("raised to {} bits", bit_depth_); }
  unsigned planes() const override;
  PictureFormat Format(const PictureFormat& source) const override;
  void Compute(const Picture& source, const MutablePicture& derived) const override;
  Status AddLaunches(Plan& plan, const PlanContext& context, Video video) const override;

 private:
  int bit_depth_;
};

}  // namespace acutance
