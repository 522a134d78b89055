// Types and entry points that the files of float_ansnr share.
#pragma once

#include <cstdint>
#include <memory>

#include "image/picture.h"
#include "kernel/kernel.h"
#include "metric/blocks/float_rows.h"
#include "metric/metric.h"

namespace acutance {

namespace float_ansnr {
#include "metric/float_ansnr/float_ansnr_math.kernel.h"
}  // namespace float_ansnr

/// The 5x5 filter reads two samples beyond an edge, whose mirror images must still be inside the picture.
inline constexpr int kAnsnrMinSide = 3;

/// Partial results of a row: the running float sums of its signal and of its noise (WordFromFloat).
inline constexpr int kAnsnrWords = 2;

extern const Metric kFloatAnsnrMetric;

/// Rows that one thread works on.
struct AnsnrRows : Workspace {
  static constexpr int kGroup = 8;  // rows that are summed at once

  explicit AnsnrRows(int width);

  FloatRows samples;   // of the reference and of the distorted picture
  FloatRows smooth;    // the last 3 rows of the reference picture, filtered along
  FloatRows filtered;  // the last 5 of the distorted one, with each of the filter's three kinds of row
  FloatRows signal;    // squares of a group
  FloatRows noise;
};

/// words[2y] and words[2y + 1]: the sums of row y, for the rows of `band`. SIMD (Highway).
void AnsnrRowSums(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band, AnsnrRows& rows,
                  int64_t* words);

}  // namespace acutance
