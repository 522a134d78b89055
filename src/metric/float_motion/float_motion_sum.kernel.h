// Adds the rows' sums in their order: workgroup (i, 0, z) makes sum i of frame z, one item adds what all have read.
#include "metric/float_motion/float_motion_args.h"

struct FloatMotionSumShared {
  float row_sum[BLOCK_X];
};

KERNEL_USES(FloatMotionSumArgs, FloatMotionSumShared)

FUNCTION(float) add_rows(CONTEXT(float sum)) {
  float running = sum;
  for (int32_t i = 0; i < BLOCK_X; ++i) running = running + group.row_sum[i];
  return running;
}

KERNEL_MAIN() {
  const int32_t first = group_z() * args.rows_per_frame + args.ranges.data[2 * group_x()];
  const int32_t count = args.ranges.data[2 * group_x() + 1];
  float sum = 0.0f;
  for (int32_t i = 0; i < count; i += BLOCK_X) {
    const int32_t row = i + local_x();
    group.row_sum[local_x()] = row < count ? args.row_sums.data[first + row] : 0.0f;
    group_barrier();
    if (local_x() == 0) sum = add_rows(PASS(sum));
    group_barrier();
  }
  if (local_x() == 0) {
    const int32_t place = 2 * (group_z() * args.sum_count + group_x());
    args.sums.data[place] = sum;  // the low half of an int64_t
    args.sums.data[place + 1] = 0.0f;
  }
}
