// Arithmetic of float_motion (spec/core.md 4.2), in C++.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernel/kernel.h"

namespace acutance {
namespace float_motion {
#include "metric/float_motion/float_motion_math.kernel.h"
}  // namespace float_motion

/// The mirrored filter reaches two samples beyond an edge, which must still be inside the picture.
inline constexpr int kFloatMotionMinSide = 3;

/// Five symmetric taps. Shorter filters stand in zeros: x + 0 * y is x but for the sign of a zero, and no score knows
/// that.
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

}  // namespace acutance
