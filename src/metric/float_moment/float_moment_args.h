#pragma once

#include "kernel/kernel.h"

struct FloatMomentArgs {
  CONST_BUFFER(PIXEL) samples;
  BUFFER(uint64_t) partials;
  int64_t picture_stride;  // in samples
  int32_t row_stride;
  int32_t width;
  int32_t height;
  uint32_t inverse;  // pair / inverse is the picture (reference_of)
  int32_t partials_per_frame;
  int32_t first_partial;   // of the sum of samples
  int32_t square_partial;  // of the sum of squares
  int32_t padding;
};
