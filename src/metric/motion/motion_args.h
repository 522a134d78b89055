#pragma once

#include "metric/blocks/plane_args.h"

struct MotionSadArgs {
  CONST_BUFFER(PIXEL) earlier;
  CONST_BUFFER(PIXEL) current;
  BUFFER(uint64_t) partials;
  PlaneArgs plane;
  int32_t bit_depth;
  int32_t partials_per_frame;
  int32_t first_partial;
  int32_t padding;  // equal arguments have equal bytes
};
