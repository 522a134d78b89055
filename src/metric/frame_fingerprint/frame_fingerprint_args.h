#pragma once

#include "metric/blocks/plane_args.h"

struct FrameFingerprintArgs {
  CONST_BUFFER(PIXEL) samples;
  BUFFER(int64_t) words;
  PlaneArgs plane;
  int32_t rows;  // of a quarter that are read
  int32_t bit_depth;
  int32_t pair_words;
  int32_t first_word;  // of the video
};
