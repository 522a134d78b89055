#pragma once

#include "kernel/kernel.h"

struct CambiPrepareArgs {
  CONST_BUFFER(PIXEL) samples;
  CONST_BUFFER(int32_t) nearest;  // [column], then [row]: the sample that one reads
  BUFFER(uint16_t) words;         // [pair][row][column], of every pixel or of every second
  int64_t picture_stride;         // of samples
  int64_t made_stride;            // of words, from pair to pair
  int32_t row_stride, made_row;
  uint32_t inverse;  // pair / inverse is the picture (reference_of)
  int32_t width;     // before pixels are left out
  int32_t height;
  int32_t step;  // 1 or 2
  int32_t bit_depth, filters_dither, mask_minimum;
};

struct CambiInvalidArgs {
  CONST_BUFFER(PIXEL) samples;
  BUFFER(uint64_t) partials;
  int64_t picture_stride;
  int32_t row_stride;
  uint32_t inverse;
  int32_t width, height, largest, partials_per_frame, first_partial;
};
