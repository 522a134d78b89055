#pragma once

#include "kernel/kernel.h"

struct SpeedSampleArgs {
  CONST_BUFFER(PIXEL) samples;
  CONST_BUFFER(PIXEL) less;  // of the same size; `samples` where only the middle is subtracted
  CONST_BUFFER(float) taps;
  BUFFER(float) made;  // [picture][row][column]
  // Tables for resized pictures (SpeedPacked, SpeedAxis); for others they hold one number.
  CONST_BUFFER(int32_t) across_index;
  CONST_BUFFER(float) across_weight;
  CONST_BUFFER(int32_t) down_index;
  CONST_BUFFER(float) down_weight;
  int64_t picture_stride;  // of samples
  int32_t row_stride;
  uint32_t inverse;  // picture / inverse is the one of `less` (reference_of)
  int32_t has_less;
  float scale;     // of samples
  int32_t width;   // after resizing
  int32_t height;  // likewise
  int32_t columns, rows, tap_count;
  int32_t packed_count;  // SpeedPacked::count
  int32_t resize_taps;   // SpeedAxis::taps
  int32_t is_divided;
};
