// Exact sums over a workgroup: lanes, then waves, as 64-bit integers, at any wave size. The
// kernel's shared struct has `uint64_t wave_sums[MAX_WAVES]`. Signed values are summed as their
// two's complement.
#pragma once

#include "kernel/kernel.h"

// Called by all items of the workgroup; item 0 gets the sum.
FUNCTION(uint64_t) group_sum(CONTEXT(uint64_t value)) {
  const uint64_t of_wave = wave_sum(value);
  group_barrier();  // a call before may still read wave_sums
  if (wave_lane() == 0) group.wave_sums[wave_index()] = of_wave;
  group_barrier();
  uint64_t sum = uint64_t(0u);
  if (wave_index() == 0) {
    for (int32_t i = wave_lane(); i < wave_count(); i += wave_size()) sum += group.wave_sums[i];
    sum = wave_sum(sum);
  }
  return sum;
}
