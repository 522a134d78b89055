// The small pictures, less a filter over them (docs/spec/siblings.md 2.3).
#include "kernel/exact_math.kernel.h"
#include "metric/blocks/border.kernel.h"
#include "metric/speed/speed_args.h"
#include "metric/speed/speed_math.kernel.h"

KERNEL_USES(SpeedSharpenArgs, int32_t)

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  const int32_t radius = args.tap_count / 2;
  const int64_t picture = int64_t(group_z()) * int64_t(args.columns * args.rows);
  CONST_BUFFER(float) samples = CONST_BUFFER_AT(float, args.samples, picture);
  if (x < args.columns && y < args.rows) {
    float across = 0.0f;
    for (int32_t l = 0; l < args.tap_count; ++l) {
      const int32_t column = mirror_index(x + l - radius, args.columns);
      float down = 0.0f;
      for (int32_t k = 0; k < args.tap_count; ++k) {
        const int32_t row = mirror_index(y + k - radius, args.rows);
        down = add_product(down, args.taps.data[k], samples.data[row * args.columns + column]);
      }
      across = add_product(across, args.taps.data[l], down);
    }
    const int32_t i = y * args.columns + x;
    BUFFER_AT(float, args.sharp, picture).data[i] = samples.data[i] - across;
  }
}
