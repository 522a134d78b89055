#pragma once

#include "metric/blocks/plane_args.h"

// A kernel that sums over the pixels of two planes (partial_sums.kernel.h).
struct PairSumArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(uint64_t) partials;
  PlaneArgs plane;
  int32_t partials_per_frame;
  int32_t first_partial;
};
