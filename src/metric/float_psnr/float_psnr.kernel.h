// Squared error of luma. An item adds up ROWS samples of a column. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/float_psnr/float_psnr_args.h"
#include "metric/float_psnr/float_psnr_math.kernel.h"

struct FloatPsnrShared {
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(FloatPsnrArgs, FloatPsnrShared)

#include "metric/blocks/partial_sums.kernel.h"

KERNEL_MAIN() {
  const int64_t picture = int64_t(reference_of(group_z(), args.inverse)) * args.picture_stride;
  CONST_BUFFER(PIXEL) reference = CONST_BUFFER_AT(PIXEL, args.reference, picture);
  CONST_BUFFER(PIXEL) distorted = CONST_BUFFER_AT(PIXEL, args.distorted, int64_t(group_z()) * args.picture_stride);
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first_row = group_y() * BLOCK_Y * ROWS + local_y();
  uint64_t sum = uint64_t(0u);
  UNROLL for (int32_t r = 0; r < ROWS; ++r) {
    const int32_t y = first_row + r * BLOCK_Y;
    if (x < args.width && y < args.height) {
      const int32_t i = y * args.row_stride + x;
      // A whole number, 2^32 at most.
      sum += uint64_t(float_squared_error(float(int32_t(reference.data[i])), float(int32_t(distorted.data[i]))));
    }
  }
  store_partial_sum(PASS(sum));
}
