// float_motion with SIMD (Highway), for whatever the CPU has.
#pragma once

#include "image/picture.h"
#include "metric/float_motion/float_motion_parts.h"
#include "metric/metric.h"

namespace acutance {

/// Vertically filtered samples of one thread: a tile of rows and columns of both pictures that stays in the L1 cache.
struct FloatMotionTile : Workspace {
  static constexpr int kMaxLanes = 16;  // floats of the widest vector used
  static constexpr int kRows = 32;
  static constexpr int kColumns = 64;                                // the last tile of a row may have more,
  static constexpr int kStride = kColumns + kMaxLanes + 2 + 2 + 12;  // and a border; a multiple of 16

  alignas(64) float samples[2][kRows * kStride] = {};  // earlier, current
};

/// A plane of two pictures, and what is summed: |blurred earlier - blurred current|, or that of the blurs halved.
struct FloatMotionInput {
  const Plane& earlier;
  const Plane& current;
  int bit_depth;
  FloatMotionTaps taps;
  const HalfTables* half = nullptr;  // of the plane; null: not halved
};

/// words[y]: the running float sum of row y (WordFromFloat), for the rows of `band` (of the halved plane, where it is halved). Both
/// sides of the planes are at least kFloatMotionMinSide.
void FloatMotionRowSums(const FloatMotionInput& input, RowBand band, FloatMotionTile& tile, int64_t* words);

}  // namespace acutance
