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

// The plane of a workgroup's pair in a buffer of planes like `args.plane`: one that pairs may share, or the pair's own.
#define SHARED_PLANE(T, PLANES) \
  CONST_BUFFER_AT(T, PLANES, int64_t(reference_of(group_z(), args.plane.inverse)) * args.plane.picture_stride)
#define OWN_PLANE(T, PLANES) CONST_BUFFER_AT(T, PLANES, int64_t(group_z()) * args.plane.picture_stride)
