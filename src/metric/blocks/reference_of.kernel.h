// The reference picture of a pair of a batch: pair / videos, without a division.
#pragma once

#include "kernel/kernel.h"

// What stands for the number of distorted videos in a kernel's arguments.
FUNCTION(uint32_t) inverse_of(int32_t videos) { return 0xffffffffu / uint32_t(videos); }

// pair / videos, exact while (pair + 1) * videos is at most 2^32: with 2^32 = videos * inverse + r
// and 1 <= r <= videos, the product lacks at most (pair + 1) * r / videos of the true one. A
// division took registers that halved the workgroups that an NVIDIA GPU holds of VIF's first scale.
FUNCTION(int32_t) reference_of(int32_t pair, uint32_t inverse) {
  return int32_t((uint64_t(uint32_t(pair) + 1u) * uint64_t(inverse)) >> 32);
}
