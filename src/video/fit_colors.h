// Color fitting: converts videos to one color format, or refuses different colors and transfer functions.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "video/fit_videos.h"

namespace acutance {

using FitInputs = std::vector<PairReaderInput*>;  // the reference first

// Both add a line to `steps` for each change. Where samples are converted and `options.raise_bit_depth` is set, they
// are expanded to the deepest video's bits in the same step.

/// Converts RGB to YUV, before all else.
Status MakeYuv(const FitOptions& options, const FitInputs& inputs, std::vector<FitStep>& steps);

/// Checks matrices, primaries and transfers, and converts ranges to the reference's. `options.force`: warns instead of
/// refusing.
Status FitColors(const FitOptions& options, const FitInputs& inputs, std::vector<FitStep>& steps);

}  // namespace acutance
