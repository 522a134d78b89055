#pragma once

#include "kernel/kernel.h"

struct FloatMotionBlurArgs {
  CONST_BUFFER(PIXEL) samples;
  BUFFER(float) blurred;
  int64_t picture_stride;  // of samples
  int64_t blurred_stride;  // from picture to picture
  int32_t row_stride;
  int32_t blurred_row;  // from row to row
  int32_t width;
  int32_t height;
  int32_t middle;                                   // the sample that stands for 0
  float sample_outer, sample_inner, sample_middle;  // taps of the first filter, which also scale the samples
  float outer, inner, center;                       // taps of the second one
};
