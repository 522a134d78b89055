// Types and entry points that the files of float_psnr share.
#pragma once

#include <cstdint>

#include "image/picture.h"
#include "kernel/kernel.h"
#include "metric/metric.h"

namespace acutance {

namespace float_psnr {
#include "metric/float_psnr/float_psnr_math.kernel.h"
}  // namespace float_psnr

extern const Metric kFloatPsnrMetric;

/// Sum of float_squared_error over the rows of `band`, with SIMD (Highway). A square is a whole number, at most
/// 2^32 after rounding: 32768^2 of them stay within 2^62.
int64_t FloatSquaredError(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band);

/// The same in plain loops, the reference implementation.
int64_t FloatSquaredErrorRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band);

}  // namespace acutance
