#pragma once

#include "kernel/kernel.h"

struct FloatMotionHalfArgs {
  CONST_BUFFER(float) blurred;
  BUFFER(float) halved;
  CONST_BUFFER(int32_t) first;  // [column], then [row]: the sample that one reads, before the next
  CONST_BUFFER(float) weight;   // likewise: of the next sample
  int64_t blurred_stride;
  int64_t halved_stride;
  int32_t blurred_row;
  int32_t halved_row;
  int32_t width;  // of the halved pictures
  int32_t height;
};

struct FloatMotionRowsArgs {
  CONST_BUFFER(float) pictures;  // one after another, the earlier picture of the first frame first
  BUFFER(float) words;           // [frame][rows_per_frame][2]: a row's sum, and zero bits up to 64
  int64_t picture_stride;
  int32_t row_stride;
  int32_t width;
  int32_t height;
  int32_t rows_per_frame;
  int32_t first_row;
};
