// Types and entry points that the files of float_moment share.
#pragma once

#include <cstdint>

#include "image/picture.h"
#include "kernel/kernel.h"
#include "metric/metric.h"

namespace acutance {

namespace float_moment {
#include "metric/float_moment/float_moment_math.kernel.h"
}  // namespace float_moment

extern const Metric kFloatMomentMetric;

/// Sums of whole samples, and of float_square of them: at most 32768^2 * 2^32 = 2^62.
struct MomentSums {
  int64_t first = 0;
  int64_t second = 0;

  bool operator==(const MomentSums&) const = default;
};

/// The sums over the rows of `band`, with SIMD (Highway).
MomentSums SumMoments(const Plane& plane, int bit_depth, RowBand band);

/// The same in plain loops, the reference implementation.
MomentSums SumMomentsRef(const Plane& plane, int bit_depth, RowBand band);

}  // namespace acutance
