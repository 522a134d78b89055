#pragma once

#include "kernel/kernel.h"

struct MotionSadArgs {
  CONST_BUFFER(PIXEL) earlier;
  CONST_BUFFER(PIXEL) current;
  BUFFER(uint64_t) partials;
  int64_t picture_stride;  // strides in samples
  int32_t row_stride;
  int32_t width;
  int32_t height;
  int32_t bit_depth;
  int32_t partials_per_frame;
  int32_t first_partial;
};
