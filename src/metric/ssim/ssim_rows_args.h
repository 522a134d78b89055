#pragma once

#include "kernel/kernel.h"

// Numbers of a scale in a table.
#define SSIM_SCALE_NUMBERS 9

struct SsimRowsArgs {
  CONST_BUFFER(double) strips;
  CONST_BUFFER(int32_t) scales;
  BUFFER(double) words;
  int64_t pair_strips, pair_words;
};
