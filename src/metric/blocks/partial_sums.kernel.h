// A workgroup's share of a frame's sum. The kernel's arguments have the buffer `partials` and the
// numbers `partials_per_frame` and `first_partial` (partial_sums.h).
#pragma once

#include "metric/blocks/group_sum.kernel.h"

// Called by all items of the workgroup.
FUNCTION(void) store_partial_sum(CONTEXT(uint64_t value)) {
  const uint64_t sum = group_sum(PASS(value));
  if (local_x() == 0 && local_y() == 0) {
    const int32_t place = group_z() * args.partials_per_frame + args.first_partial + group_y() * groups_x() + group_x();
    args.partials.data[place] = sum;
  }
}
