// Pictures shrunk by a whole factor: an item makes a mean of factor x factor samples, whose sum is exact as a double.
// PIXEL: uint8_t or uint16_t.
#include "metric/ssim/ssim_args.h"
#include "metric/ssim/ssim_math.kernel.h"

KERNEL_USES(SsimShrinkArgs, int32_t)

#include "metric/ssim/ssim_pictures.kernel.h"

FUNCTION(float) mean_of_samples(CONTEXT(int32_t x, int32_t y)) {
  CONST_BUFFER(PIXEL) picture = picture_of_group(PASS());
  double sum = DOUBLE(0.0);
  for (int32_t i = 0; i < args.factor; ++i) {
    const int32_t row = mirrored_with_edge(args.factor * y + i - args.factor / 2, args.height) * args.row_stride;
    for (int32_t j = 0; j < args.factor; ++j) {
      const int32_t column = mirrored_with_edge(args.factor * x + j - args.factor / 2, args.width);
      sum = sum + double(value_at(PASS(picture, row + column)) * args.weight);
    }
  }
  return float(sum);
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.small_width && y < args.small_height) store_small(PASS(x, y, mean_of_samples(PASS(x, y))));
}
