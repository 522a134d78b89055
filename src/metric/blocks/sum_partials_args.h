#pragma once

#include "kernel/kernel.h"

struct SumPartialsArgs {
  CONST_BUFFER(uint64_t) partials;  // [frame][partials_per_frame]
  CONST_BUFFER(int32_t) ranges;     // [sum]: first partial in a frame, and how many
  BUFFER(int64_t) sums;             // [frame][sum_count]
  int32_t partials_per_frame;
  int32_t sum_count;
};
