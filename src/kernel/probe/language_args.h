#pragma once

#include "kernel/kernel.h"

struct LanguageArgs {
  CONST_BUFFER(SAMPLE) samples;
  CONST_BUFFER(int32_t) table;  // 16 numbers
  BUFFER(double) ratios;
  BUFFER(int64_t) integers;  // [item][4]
  int64_t first;             // item 0's sample
  int32_t count;
  int32_t mask;  // of wave_xor
};
