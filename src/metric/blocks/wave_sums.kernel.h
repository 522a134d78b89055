// The shared memory of a kernel whose workgroups only add up (group_sum.kernel.h).
#pragma once

#include "kernel/kernel.h"

struct WaveSums {
  uint64_t wave_sums[MAX_WAVES];
};
