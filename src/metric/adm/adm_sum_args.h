#pragma once

#include "kernel/kernel.h"

struct AdmSumArgs {
  CONST_BUFFER(uint64_t) row_sums;  // [frame][row_sums_per_frame]: parts of rows
  CONST_BUFFER(int32_t) ranges;     // [sum]: first part in a frame, rows, parts of a row, shift of a row's sum
  BUFFER(int64_t) sums;             // [frame][sum_count]
  int32_t row_sums_per_frame;
  int32_t sum_count;
};
