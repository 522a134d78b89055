#pragma once

#include "kernel/kernel.h"

struct FloatAnsnrArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(float) words;     // [pair][row][signal, noise][2]: a sum, and zero bits up to 64
  int64_t picture_stride;  // in samples
  int32_t row_stride;
  int32_t width;
  int32_t height;
  uint32_t inverse;  // reference_of
  float sample_scale;
};
