// Types and entry points that the files of motion share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/kernel.h"
#include "metric/blocks/motion_sequence.h"
#include "metric/metric.h"

namespace acutance {

namespace motion {
#include "metric/motion/motion_math.kernel.h"
}  // namespace motion

/// The mirrored filter reaches two samples beyond an edge, which must still be inside the picture.
inline constexpr int kMotionMinSide = 3;

extern const Metric kMotionMetric;

/// Row buffers of one thread. A picture is walked in strips of columns so that they stay in the L1 cache.
struct MotionRows : Workspace {
  static constexpr int kMaxLanes = 32;  // int16 lanes of the widest vector used
  static constexpr int kStripWidth = 1024;
  static constexpr int kMargin = kMaxLanes;  // columns left of those that a strip computes
  static constexpr int kColumns = kMargin + kStripWidth + 4 * kMaxLanes;

  // The last three pairs of rows of differences, the rows of a pair interleaved; at 16 bit halves and bits apart.
  alignas(64) int16_t pair_halves[3][2 * kColumns] = {};
  alignas(64) int16_t pair_bits[3][2 * kColumns] = {};
  // Two vertically filtered rows: y, or floor(y / 2) and the lowest bit of y.
  alignas(64) int16_t halves[2][kColumns] = {};
  alignas(64) int16_t bits[2][kColumns] = {};
  // Copies of rows narrower than a vector: two rows of two pictures.
  alignas(64) uint16_t narrow[4][kMaxLanes] = {};
};

/// Sum of |filtered(earlier - current)| over the rows of `band`, with SIMD (Highway); both sides of the
/// planes at least kMotionMinSide.
int64_t MotionSad(const Plane& earlier, const Plane& current, int bit_depth, RowBand band, MotionRows& rows);

/// The same in plain loops, the reference implementation.
int64_t MotionSadRef(const Plane& earlier, const Plane& current, int bit_depth, RowBand band);

/// The options.
struct MotionSettings {
  bool force_zero;
  double fps_weight;
  MotionBlend blend;
  bool debug;
};

}  // namespace acutance
