// Squared error in plain loops: the truth that psnr_cpu.cc is tested against, and its text for CPUs without SIMD.
#pragma once

#include <cstdint>

#include "image/picture.h"
#include "metric/metric.h"

namespace acutance {

/// Sum of (reference - distorted)^2 over the rows of `band`.
int64_t SquaredErrorRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band);

}  // namespace acutance
