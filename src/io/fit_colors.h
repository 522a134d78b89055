// What samples mean: brings videos to one meaning, or refuses where they mean different colors or light.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "io/fit_videos.h"

namespace acutance {

using FitInputs = std::vector<PairReaderInput*>;  // the reference first

/// Makes YUV of RGB, checks matrices, primaries and transfers, and brings ranges to the reference's. Adds a line to
/// `steps` for each change. `force`: says so instead of refusing.
Status FitColors(bool force, const FitInputs& inputs, std::vector<FitStep>& steps);

}  // namespace acutance
