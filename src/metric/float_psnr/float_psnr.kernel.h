// Squared error of luma. An item adds up ROWS samples of a column. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/pair_sum_args.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/blocks/wave_sums.kernel.h"
#include "metric/float_psnr/float_psnr_math.kernel.h"

KERNEL_USES(PairSumArgs, WaveSums)

#include "metric/blocks/partial_sums.kernel.h"

KERNEL_MAIN() {
  CONST_BUFFER(PIXEL) reference = SHARED_PLANE(PIXEL, args.reference);
  CONST_BUFFER(PIXEL) distorted = OWN_PLANE(PIXEL, args.distorted);
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first_row = group_y() * BLOCK_Y * ROWS + local_y();
  uint64_t sum = uint64_t(0u);
  UNROLL for (int32_t r = 0; r < ROWS; ++r) {
    const int32_t y = first_row + r * BLOCK_Y;
    if (x < args.plane.width && y < args.plane.height) {
      const int32_t i = y * args.plane.row_stride + x;
      // A whole number, 2^32 at most.
      sum += uint64_t(float_squared_error(float(int32_t(reference.data[i])), float(int32_t(distorted.data[i]))));
    }
  }
  store_partial_sum(PASS(sum));
}
