// Squared error with SIMD (Highway), for whatever the CPU has.
#pragma once

#include <cstdint>

#include "image/picture.h"
#include "metric/metric.h"

namespace acutance {

/// Sum of (reference - distorted)^2 over the rows of `band`. At most 32768^2 * 65535^2 < 2^62.
int64_t SquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band);

}  // namespace acutance
