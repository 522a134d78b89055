// Motion in plain loops: the truth that motion_cpu.cc is tested against, and its text for CPUs without SIMD.
#pragma once

#include <cstdint>

#include "image/picture.h"
#include "metric/metric.h"

namespace acutance {

/// Sum of |filtered(earlier - current)| over the rows of `band`.
int64_t MotionSadRef(const Plane& earlier, const Plane& current, int bit_depth, RowBand band);

}  // namespace acutance
