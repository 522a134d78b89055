// Second stage of every metric's sums: workgroup (i, 0, z) adds up sum i of frame z.
#include "metric/blocks/sum_partials_args.h"
#include "metric/blocks/wave_sums.kernel.h"

KERNEL_USES(SumPartialsArgs, WaveSums)

#include "metric/blocks/group_sum.kernel.h"

KERNEL_MAIN() {
  const int32_t first = group_z() * args.partials_per_frame + args.ranges.data[2 * group_x()];
  const int32_t count = args.ranges.data[2 * group_x() + 1];
  uint64_t sum = uint64_t(0u);
  for (int32_t i = local_x(); i < count; i += BLOCK_X) sum += args.partials.data[first + i];
  sum = group_sum(PASS(sum));
  if (local_x() == 0) args.sums.data[group_z() * args.sum_count + group_x()] = int64_t(sum);
}
