// Arguments of xpsnr's kernels.
#pragma once

#include "kernel/kernel.h"

struct XpsnrLumaArgs {
  CONST_BUFFER(PIXEL) reference;  // from the oldest picture before the batch on
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(int64_t) words;
  int64_t picture_stride;  // in samples
  int32_t row_stride, width, height;
  int32_t block;       // the side of a block
  int32_t pair_words;  // from pair to pair
  int32_t bit_depth;
  int32_t step;        // 1: activities of samples; 2: of cells of 2x2; 0: none
  int32_t order;       // of changes over time, and how many pictures lie before the batch
  int32_t has_chroma;  // 0: the results of chroma are 0
  uint32_t inverse;    // reference_of
};

struct XpsnrChromaArgs {
  CONST_BUFFER(PIXEL) reference, distorted;
  BUFFER(int64_t) words;
  int64_t picture_stride;
  int32_t row_stride, width, height, block_width, block_height, pair_words;
  int32_t word;         // of a block, for its error
  int32_t counts_size;  // 1: its number of samples is written, too
  uint32_t inverse;
};
