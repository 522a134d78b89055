// Adds up numbers in the order of docs/spec/beyond.md 5.3: by halves of groups of 32, again and again. Included after
// KERNEL_USES; the shared memory has `double parts[BLOCK_X]` and `double folded[FOLD_MOST_GROUPS]`. All items call
// these: they have barriers inside.
#pragma once

#include "metric/cvvdp/cvvdp_fold_sizes.h"

// Values i to i + BLOCK_X - 1, one of each item, become group.folded[i / 32] and on.
FUNCTION(void) fold_parts(CONTEXT(double value, int32_t first)) {
  group_barrier();
  group.parts[local_x()] = value;
  const int32_t lane = local_x() & (FOLD_GROUP - 1);
  for (int32_t half_group = FOLD_GROUP / 2; half_group > 0; half_group /= 2) {
    group_barrier();
    if (lane < half_group) group.parts[local_x()] = group.parts[local_x()] + group.parts[local_x() + half_group];
  }
  const int32_t place = (first + local_x()) / FOLD_GROUP;
  if (lane == 0 && place < FOLD_MOST_GROUPS) group.folded[place] = group.parts[local_x()];
}

// The sum of the first `count` values of which fold_parts has made groups.
FUNCTION(double) fold_groups(CONTEXT(int32_t values)) {
  int32_t count = (values + FOLD_GROUP - 1) / FOLD_GROUP;
  group_barrier();
  while (count > 1) {
    for (int32_t first = 0; first < count; first += BLOCK_X) {
      double value = DOUBLE(0.0);
      if (first + local_x() < count) value = group.folded[first + local_x()];
      fold_parts(PASS(value, first));
    }
    count = (count + FOLD_GROUP - 1) / FOLD_GROUP;
    group_barrier();
  }
  const double sum = group.folded[0];
  group_barrier();
  return sum;
}
