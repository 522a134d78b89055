// What samples mean: brings videos to one meaning, or refuses where they mean different colors or light.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "video/fit_videos.h"

namespace acutance {

using FitInputs = std::vector<PairReaderInput*>;  // the reference first

// Both add a line to `steps` for each change. What becomes YUV or of another measure gets the bits of the deepest video
// in the same step, where `options.raise_bit_depth` asks for that.

/// Makes YUV of RGB, before all else.
Status MakeYuv(const FitOptions& options, const FitInputs& inputs, std::vector<FitStep>& steps);

/// Checks matrices, primaries and transfers, and brings ranges to the reference's. `options.force`: says so instead of
/// refusing.
Status FitColors(const FitOptions& options, const FitInputs& inputs, std::vector<FitStep>& steps);

}  // namespace acutance
