#pragma once

#include "kernel/kernel.h"

struct FloatPsnrArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(uint64_t) partials;
  int64_t picture_stride;  // in samples
  int32_t row_stride;
  int32_t width;
  int32_t height;
  uint32_t inverse;  // reference_of
  int32_t partials_per_frame;
  int32_t first_partial;
};
