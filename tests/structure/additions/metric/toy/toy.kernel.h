// Sum of |reference - distorted|, an item a sample. PIXEL: uint8_t or uint16_t.
#include "metric/toy/toy_args.h"

struct ToySumShared {
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(ToySumArgs, ToySumShared)

#include "metric/blocks/partial_sums.kernel.h"

KERNEL_MAIN() {
  const int64_t picture = int64_t(group_z()) * args.picture_stride;
  CONST_BUFFER(PIXEL) reference = CONST_BUFFER_AT(PIXEL, args.reference, picture);
  CONST_BUFFER(PIXEL) distorted = CONST_BUFFER_AT(PIXEL, args.distorted, picture);
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  uint64_t sum = uint64_t(0u);
  if (x < args.width && y < args.height) {
    const int32_t i = y * args.row_stride + x;
    const int32_t difference = int32_t(reference.data[i]) - int32_t(distorted.data[i]);
    sum = uint64_t(difference < 0 ? -difference : difference);
  }
  store_partial_sum(PASS(sum));
}
