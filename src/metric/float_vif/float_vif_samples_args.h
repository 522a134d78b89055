#pragma once

#include "kernel/kernel.h"

// Both images of scale 0 as floats, perhaps resized: sample x of a row the weighted `taps` from across_index[x * taps]
// on, likewise down.
struct FloatVifSamplesArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(float) made_reference;
  BUFFER(float) made_distorted;
  CONST_BUFFER(int32_t) across_index;
  CONST_BUFFER(float) across_weight;
  CONST_BUFFER(int32_t) down_index;
  CONST_BUFFER(float) down_weight;
  int64_t picture_stride;
  int64_t made_stride;
  int32_t row_stride;
  int32_t made_row;
  int32_t width;  // of what is made
  int32_t height;
  int32_t taps;  // 0: a copy
  int32_t is_divided;
  uint32_t inverse;  // reference_of
  float sample_scale;
};
