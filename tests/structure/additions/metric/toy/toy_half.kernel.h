// The halved picture, an item a sample. PIXEL: uint8_t or uint16_t.
#include "metric/toy/toy_half_args.h"

struct ToyHalfShared {
  uint32_t unused;
};

KERNEL_USES(ToyHalfArgs, ToyHalfShared)

#include "metric/toy/toy_math.kernel.h"

KERNEL_MAIN() {
  CONST_BUFFER(PIXEL) from = CONST_BUFFER_AT(PIXEL, args.from, int64_t(group_z()) * args.from_picture);
  BUFFER(float) to = BUFFER_AT(float, args.to, int64_t(group_z()) * args.to_picture);
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.width && y < args.height) {
    const int32_t i = 2 * (y * args.from_row + x);
    const int32_t below = i + args.from_row;
    to.data[y * args.to_row + x] = mean_of_four(float(int32_t(from.data[i])), float(int32_t(from.data[i + 1])),
                                                float(int32_t(from.data[below])), float(int32_t(from.data[below + 1])));
  }
}
