#pragma once

#include "kernel/kernel.h"
#include "metric/psnr_hvs/psnr_hvs_sum_args.h"

struct HvsTermsArgs {
  CONST_BUFFER(PIXEL) reference, distorted;
  CONST_BUFFER(float) tables;  // HvsTables
  BUFFER(float) terms;
  int64_t picture_stride;  // in samples
  int64_t pair_terms;      // from pair to pair
  int32_t row_stride, blocks, blocks_across;
  uint32_t inverse;  // reference_of
};
