#pragma once

#include "metric/blocks/plane_args.h"

struct FloatMomentArgs {
  CONST_BUFFER(PIXEL) samples;
  BUFFER(uint64_t) partials;
  PlaneArgs plane;
  int32_t partials_per_frame;
  int32_t first_partial;   // of the sum of samples
  int32_t square_partial;  // of the sum of their squares
  int32_t padding;         // equal arguments have equal bytes
};
