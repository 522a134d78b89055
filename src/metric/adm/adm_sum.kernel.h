// Adds the parts of each row, rounds the row's sum and adds the rows: workgroup (i, 0, z) makes sum i of frame z.
#include "metric/adm/adm_math.kernel.h"
#include "metric/adm/adm_sum_args.h"
#include "metric/blocks/wave_sums.kernel.h"

KERNEL_USES(AdmSumArgs, WaveSums)

#include "metric/blocks/group_sum.kernel.h"

KERNEL_MAIN() {
  const int32_t range = 4 * group_x();
  const int32_t first = group_z() * args.row_sums_per_frame + args.ranges.data[range];
  const int32_t rows = args.ranges.data[range + 1];
  const int32_t parts = args.ranges.data[range + 2];
  const int32_t shift = args.ranges.data[range + 3];
  uint64_t sum = uint64_t(0u);
  for (int32_t row = local_x(); row < rows; row += BLOCK_X) {
    uint64_t of_row = half_of_bit(shift);
    for (int32_t part = 0; part < parts; ++part) of_row += args.row_sums.data[first + part * rows + row];
    sum += uint64_t(int64_t(of_row) >> shift);
  }
  sum = group_sum(PASS(sum));
  if (local_x() == 0) args.sums.data[group_z() * args.sum_count + group_x()] = int64_t(sum);
}
