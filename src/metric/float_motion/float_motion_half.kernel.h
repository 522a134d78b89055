// Halves blurred pictures: bilinear, the weights as tables (float_motion.h). An item makes ROWS values of a
// column.
#include "metric/float_motion/float_motion_args.h"
#include "metric/float_motion/float_motion_math.kernel.h"

struct FloatMotionHalfShared {
  int32_t unused;
};

KERNEL_USES(FloatMotionHalfArgs, FloatMotionHalfShared)

FUNCTION(float) halved_value(CONTEXT(int32_t x, int32_t y)) {
  CONST_BUFFER(float) blurred = CONST_BUFFER_AT(float, args.blurred, int64_t(group_z()) * args.blurred_stride);
  const int32_t i = args.first.data[args.width + y] * args.blurred_row + args.first.data[x];
  const int32_t below = i + args.blurred_row;
  const float dx = args.weight.data[x];
  const float dy = args.weight.data[args.width + y];
  return halved_sample(dx, dy, blurred.data[i], blurred.data[i + 1], blurred.data[below], blurred.data[below + 1]);
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first_row = group_y() * BLOCK_Y * ROWS + local_y();
  BUFFER(float) halved = BUFFER_AT(float, args.halved, int64_t(group_z()) * args.halved_stride);
  if (x < args.width) {
    for (int32_t r = 0; r < ROWS; ++r) {
      const int32_t y = first_row + r * BLOCK_Y;
      if (y < args.height) halved.data[y * args.halved_row + x] = halved_value(PASS(x, y));
    }
  }
}
