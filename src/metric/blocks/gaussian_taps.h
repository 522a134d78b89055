// Filters of the features that libvmaf computes in floats (docs/spec/core.md 4.3).
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

/// `scale`, where it is within 1e-3 of one that libvmaf knows; else an error that names `option`.
Result<float> CheckKernelScale(std::string_view option, double scale);

/// The least odd number of taps that is not below `size`, at least 3.
int OddTapCount(float size);

/// Samples of a normal distribution, divided by their running sum.
std::vector<float> GaussianTaps(int count, float sigma);

}  // namespace acutance
