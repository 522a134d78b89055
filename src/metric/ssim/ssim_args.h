#pragma once

#include "kernel/kernel.h"

// Pictures of a reference and of what is compared with it, and the smaller ones that are made of them: work item z is
// picture z of the reference, from `frames` on one of the distorted videos.
struct SsimShrinkArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(float) small_reference;
  BUFFER(float) small_distorted;
  int64_t picture_stride;
  int64_t small_stride;  // from picture to picture
  int32_t row_stride;
  int32_t small_row;
  int32_t width;
  int32_t height;
  int32_t small_width;
  int32_t small_height;
  int32_t frames;
  int32_t factor;
  float sample_scale;
  float weight;
};

struct SsimWindowsArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  CONST_BUFFER(int32_t) scales;
  BUFFER(double) strips;
  int64_t picture_stride;
  int64_t pair_strips;  // sums of a pair
  int32_t first_scale;
  int32_t scale_count;
  uint32_t inverse;  // reference_of
  float sample_scale;
};
