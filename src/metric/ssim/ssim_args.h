#pragma once

#include "kernel/kernel.h"

// Pictures of a reference and of what is compared with it, and the smaller ones that are made of them: work item z is
// picture z of the reference, from `frames` on one of the distorted videos.
struct SsimShrinkArgs {
  CONST_BUFFER(PIXEL) reference, distorted;
  BUFFER(float) small_reference, small_distorted;
  int64_t picture_stride;
  int64_t small_stride;  // from picture to picture
  int32_t row_stride, small_row, width, height, small_width, small_height, frames, factor;
  float sample_scale, weight;
};

struct SsimWindowsArgs {
  CONST_BUFFER(PIXEL) reference, distorted;
  CONST_BUFFER(int32_t) scales;
  BUFFER(double) strips;
  int64_t picture_stride;
  int64_t pair_strips;  // sums of a pair
  int32_t first_scale, scale_count;
  uint32_t inverse;  // reference_of
  float sample_scale;
};
