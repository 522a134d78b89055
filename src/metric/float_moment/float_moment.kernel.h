// Sums of luma's samples and of their squares. An item adds up ROWS samples of a column. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/blocks/wave_sums.kernel.h"
#include "metric/float_moment/float_moment_args.h"
#include "metric/float_moment/float_moment_math.kernel.h"

KERNEL_USES(FloatMomentArgs, WaveSums)

#include "metric/blocks/group_sum.kernel.h"

// Called by all items of the workgroup.
FUNCTION(void) store_sum(CONTEXT(uint64_t value, int32_t first_partial)) {
  const uint64_t sum = group_sum(PASS(value));
  if (local_x() == 0 && local_y() == 0) {
    const int32_t place = group_z() * args.partials_per_frame + first_partial + group_y() * groups_x() + group_x();
    args.partials.data[place] = sum;
  }
}

KERNEL_MAIN() {
  CONST_BUFFER(PIXEL) samples = SHARED_PLANE(PIXEL, args.samples);
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first_row = group_y() * BLOCK_Y * ROWS + local_y();
  uint64_t first = uint64_t(0u);
  uint64_t second = uint64_t(0u);
  UNROLL for (int32_t r = 0; r < ROWS; ++r) {
    const int32_t y = first_row + r * BLOCK_Y;
    if (x < args.plane.width && y < args.plane.height) {
      const uint32_t value = uint32_t(samples.data[y * args.plane.row_stride + x]);
      first += uint64_t(value);
      second += uint64_t(float_square(float(value)));  // a whole number, 2^32 at most
    }
  }
  store_sum(PASS(first, args.first_partial));
  store_sum(PASS(second, args.square_partial));
}
