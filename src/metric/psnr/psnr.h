// Types and entry points that the files of psnr share.
#pragma once

#include <cstdint>

#include "image/picture.h"
#include "kernel/kernel.h"
#include "metric/metric.h"

namespace acutance {

namespace psnr {
#include "metric/psnr/psnr_math.kernel.h"
}  // namespace psnr

extern const Metric kPsnrMetric;

/// Sum of (reference - distorted)^2 over the rows of `band`, with SIMD (Highway). At most 32768^2 * 65535^2 < 2^62.
int64_t SquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band);

/// The same in plain loops, the reference implementation.
int64_t SquaredErrorRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band);

}  // namespace acutance
