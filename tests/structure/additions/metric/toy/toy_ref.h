// The truth, in plain loops.
#pragma once

#include <cstdint>

#include "image/picture.h"

namespace acutance {

/// Sum of |reference - distorted| over rows [begin, end).
int64_t SumAbsoluteDifferences(const Plane& reference, const Plane& distorted, int bit_depth, int begin, int end);

}  // namespace acutance
