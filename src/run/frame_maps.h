// Where in a frame each feature lost points.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "engine/feature_set.h"
#include "image/picture.h"

namespace acutance {

/// A number for each square of `size` luma samples, row by row: 0 where nothing is lost.
struct FrameMap {
  std::string name;  // "vif_scale0", "adm2", "aim", "butteraugli", "cambi", "ciede", "cvvdp", "float_ssim", "mse_y"
  int size = 0;
  int columns = 0;
  int rows = 0;
  std::vector<double> losses;
};

/// Luma samples of a block's side: the 4 x 4 samples of VIF's last scale.
inline constexpr int kMapBlock = 32;

/// The maps of a metric: of vif, adm and psnr shares of what the frame's feature lacks, by the sums that make the
/// feature; of ciede the mean color difference, of float_ssim one less the mean index, of cambi the mean of its first
/// heatmap, of butteraugli that of its map, of cvvdp that of its heat map, as if the clip began with the frame. None of
/// other metrics. On the CPU, whatever computed the scores.
Result<std::vector<FrameMap>> MakeFrameMaps(const MetricRun& run, const Picture& reference, const Picture& distorted);

}  // namespace acutance
