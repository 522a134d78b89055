// Border rules, which the CPU and the kernels share.
#pragma once

#include "kernel/kernel.h"

// Whole-sample mirror without repeating the edge: index -k reads k, index n-1+k reads n-1-k.
// Indices out of its reach, as of items of workgroups that hang over the edge, get some index
// inside.
FUNCTION(int32_t) mirror_index(int32_t i, int32_t n) {
  const int32_t left = i < 0 ? -i : i;
  const int32_t right = left < n ? left : 2 * n - 2 - left;
  return right < 0 ? 0 : right;
}
