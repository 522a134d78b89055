#pragma once

#include "kernel/kernel.h"

struct FrameFingerprintArgs {
  CONST_BUFFER(PIXEL) samples;
  BUFFER(int64_t) words;
  int64_t picture_stride;  // in samples
  int32_t row_stride;
  int32_t width;
  int32_t height;
  uint32_t inverse;  // pair / inverse is the picture (reference_of)
  int32_t rows;      // of a quarter that are read
  int32_t bit_depth;
  int32_t pair_words;
  int32_t first_word;  // of the video
};
