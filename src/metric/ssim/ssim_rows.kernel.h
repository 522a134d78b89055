// Sums of rows of windows: strips in their order. An item adds up the rows' sums; workgroup y is a scale.
#include "metric/ssim/ssim_rows_args.h"
#include "metric/ssim/ssim_scale.kernel.h"

KERNEL_USES(SsimRowsArgs, int32_t)

FUNCTION(double) row_sum(CONTEXT(SsimScale scale, int32_t sum, int32_t row)) {
  CONST_BUFFER(double) strips = CONST_BUFFER_AT(double, args.strips, int64_t(group_z()) * args.pair_strips);
  double total = DOUBLE(0.0);
  for (int32_t strip = 0; strip < scale.strips; ++strip) total = total + strips.data[strip_at(scale, sum, strip, row)];
  return total;
}

KERNEL_MAIN() {
  const SsimScale scale = read_scale(args.scales, group_y());
  const int32_t row = group_x() * BLOCK_X + local_x();
  BUFFER(double) words = BUFFER_AT(double, args.words, int64_t(group_z()) * args.pair_words);
  if (row < scale.height) {
    for (int32_t sum = 0; sum < 4; ++sum) {
      words.data[scale.first_word + 4 * row + sum] =
          scale.all || sum >= 2 ? row_sum(PASS(scale, sum, row)) : DOUBLE(0.0);
    }
  }
}
