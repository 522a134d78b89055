// Types and entry points that the files of float_motion share.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/kernel.h"
#include "metric/blocks/motion_sequence.h"
#include "metric/metric.h"

namespace acutance {

namespace float_motion {
#include "metric/float_motion/float_motion_math.kernel.h"
}  // namespace float_motion

/// The mirrored filter reaches two samples beyond an edge, which must still be inside the picture.
inline constexpr int kFloatMotionMinSide = 3;

/// Five symmetric taps. Shorter filters stand in zeros: x + 0 * y is x except for the sign of a zero, and no score
/// knows that.
struct FloatMotionTaps {
  float outer;
  float inner;
  float middle;
};

constexpr FloatMotionTaps MakeFloatMotionTaps(int filter_size) {
  if (filter_size == 1) return {0.0f, 0.0f, 1.0f};
  if (filter_size == 3) return {0.0f, 0.166378498f, 0.667243004f};
  return {0.054488685f, 0.244201342f, 0.402619947f};
}

/// A sample s stands for s / 2^(bits - 8) - 128. Here as an integer, s - 128 * 2^(bits - 8), with the power of two in
/// the taps of the first filter: no rounding comes between, so the products are the same floats.
constexpr int FloatMotionMiddleSample(int bit_depth) { return 128 << (bit_depth - 8); }

constexpr FloatMotionTaps ScaleForSamples(const FloatMotionTaps& taps, int bit_depth) {
  const float scale = 1.0f / static_cast<float>(1 << (bit_depth - 8));
  return {taps.outer * scale, taps.inner * scale, taps.middle * scale};
}

/// Samples of a side of n samples after halving.
constexpr int HalfLength(int n) { return (n + 1) / 2; }

/// Halving reads samples `first` and `first + 1` with weights 1 - `weight` and `weight`. Both are inside for n >= 3:
/// two halved samples are 1.5 to 2 samples apart, the first lies at 0.25 or beyond and the last below n - 1.
struct HalfSample {
  int32_t first;
  float weight;
};

inline HalfSample HalfSampleAt(int i, int n) {
  const float ratio = static_cast<float>(n) / static_cast<float>(HalfLength(n));
  const float center = static_cast<float>((i + 0.5) * static_cast<double>(ratio) - 0.5);
  const float first = std::floor(center);
  return {static_cast<int32_t>(first), center - first};
}

/// The options.
struct FloatMotionSettings {
  bool force_zero;
  bool add_scale1;
  bool add_uv;
  FloatMotionTaps taps;
  double fps_weight;
  MotionBlend blend;
  bool debug;
};

/// One sum of absolute differences. A halved part follows the plane's own.
struct FloatMotionPart {
  int plane;
  bool half;
  int width;  // of what is summed
  int height;
  int first_row;  // among those of all parts
};

/// Where a halved plane reads the plane.
struct HalfTables {
  std::vector<HalfSample> columns;
  std::vector<HalfSample> rows;
};

HalfTables MakeHalfTables(int plane_width, int plane_height);

extern const Metric kFloatMotionMetric;

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

/// words[y]: the running float sum of row y (WordFromFloat), for the rows of `band` (of the halved plane, where it is
/// halved). Both sides of the planes are at least kFloatMotionMinSide.
void FloatMotionRowSums(const FloatMotionInput& input, RowBand band, FloatMotionTile& tile, int64_t* words);

/// What the reference implementation reads: filters as the definition has them.
struct FloatMotionRefInput {
  const Plane& earlier;
  const Plane& current;
  int bit_depth;
  std::span<const float> taps;  // of odd number
  bool half;
};

/// The same in plain loops, the reference implementation.
void FloatMotionRowSumsRef(const FloatMotionRefInput& input, RowBand band, int64_t* words);

}  // namespace acutance
