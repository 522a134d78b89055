// Border rules, in the kernel language; image/border.h has them for the CPU.
#pragma once

#include "kernel/kernel.h"

// Index -k reads k, index n-1+k reads n-1-k. Items of workgroups that hang over the edge get some index inside.
FUNCTION(int32_t) mirror_index(int32_t i, int32_t n) {
  const int32_t left = i < 0 ? -i : i;
  const int32_t right = left < n ? left : 2 * n - 2 - left;
  return right < 0 ? 0 : right;
}
