// Loss maps of a frame: where in the picture each feature lost points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/damage.h"
#include "base/status.h"
#include "engine/feature_set.h"
#include "image/picture.h"

namespace acutance {

/// A number for each square of `size` luma samples, row by row: 0 where nothing is lost.
struct FrameMap {
  std::string name;  // of a feature or a metric
  int size = 0;
  int columns = 0;
  int rows = 0;
  std::vector<double> losses;
  std::optional<Damage> damage{};  // which causes the losses; nullopt: any
};

/// Luma samples of a block's side.
inline constexpr int kMapBlock = 32;

/// The maps that a metric declares (MapSpec), computed by the CPU as if the clip began with the frame. Maps of block
/// sums are shares of what the frame's feature lacks.
Result<std::vector<FrameMap>> MakeFrameMaps(const MetricRun& run, const Picture& reference, const Picture& distorted);

}  // namespace acutance
