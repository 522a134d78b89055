// float_motion in plain loops: the truth that float_motion_cpu.cc is tested against, and its text for CPUs without
// SIMD.
#pragma once

#include <span>

#include "image/picture.h"
#include "metric/metric.h"

namespace acutance {

struct FloatMotionRefInput {
  const Plane& earlier;
  const Plane& current;
  int bit_depth;
  std::span<const float> taps;  // of odd number
  bool half;
};

/// words[y]: the running float sum of row y (WordFromFloat), for the rows of `band`.
void FloatMotionRowSumsRef(const FloatMotionRefInput& input, RowBand band, int64_t* words);

}  // namespace acutance
