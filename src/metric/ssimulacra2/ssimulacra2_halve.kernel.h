// Half the size: the mean of each 2x2 pixels (docs/spec/beyond.md 3.2). An item has a pixel of all planes.
#include "metric/ssimulacra2/ssimulacra2_args.h"

KERNEL_USES(Ssimulacra2PlanesArgs, int32_t)

FUNCTION(float) mean_at(CONTEXT(CONST_BUFFER(float) plane, int32_t x, int32_t y)) {
  const int32_t right = 2 * x + 1 < args.width ? 2 * x + 1 : args.width - 1;
  const int32_t below = 2 * y + 1 < args.height ? 2 * y + 1 : args.height - 1;
  const int32_t upper_row = 2 * y * args.row_stride;
  const int32_t lower_row = below * args.row_stride;
  return (((plane.data[upper_row + 2 * x] + plane.data[upper_row + right]) + plane.data[lower_row + 2 * x]) +
          plane.data[lower_row + right]) *
         0.25f;
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (2 * x < args.width && 2 * y < args.height) {
    const int64_t from = int64_t(group_z()) * args.picture_stride;
    const int64_t to = int64_t(group_z()) * int64_t(3) * args.to_plane;
    const int32_t place = y * args.to_row + x;
    BUFFER(float) red = BUFFER_AT(float, args.to, to);
    BUFFER(float) green = BUFFER_AT(float, args.to, to + args.to_plane);
    BUFFER(float) blue = BUFFER_AT(float, args.to, to + int64_t(2) * args.to_plane);
    red.data[place] = mean_at(PASS(CONST_BUFFER_AT(float, args.red, from), x, y));
    green.data[place] = mean_at(PASS(CONST_BUFFER_AT(float, args.green, from), x, y));
    blue.data[place] = mean_at(PASS(CONST_BUFFER_AT(float, args.blue, from), x, y));
  }
}
