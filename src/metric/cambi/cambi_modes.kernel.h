// Words with filtered modes, of every pixel or of every second (docs/spec/siblings.md 1.4). The first and the last row
// and column stay as they are in their direction.
#include "metric/cambi/cambi_args.h"
#include "metric/cambi/cambi_math.kernel.h"

#define COUNTS 0x8000u  // kCambiCounts

KERNEL_USES(CambiModesArgs, int32_t)

FUNCTION(uint32_t) word_at(CONTEXT(int32_t x, int32_t y)) {
  CONST_BUFFER(uint16_t) from = CONST_BUFFER_AT(uint16_t, args.from, int64_t(group_z()) * args.from_stride);
  return uint32_t(from.data[y * args.step * args.from_row + x * args.step]);
}

FUNCTION(int32_t) value_of(uint32_t word) { return int32_t(word & (COUNTS - 1u)); }

FUNCTION(int32_t) mode_along(CONTEXT(int32_t x, int32_t y)) {
  const int32_t middle = value_of(word_at(PASS(x, y)));
  if (x == 0 || x + 1 >= args.width) return middle;
  return mode_of(value_of(word_at(PASS(x - 1, y))), middle, value_of(word_at(PASS(x + 1, y))));
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.width && y < args.height) {
    int32_t mode = 0;
    if (y == 0 || y + 1 >= args.height) {
      mode = value_of(word_at(PASS(x, y)));
    } else {
      mode = mode_of(mode_along(PASS(x, y - 1)), mode_along(PASS(x, y)), mode_along(PASS(x, y + 1)));
    }
    BUFFER(uint16_t) made = BUFFER_AT(uint16_t, args.made, int64_t(group_z()) * args.made_stride);
    made.data[y * args.made_row + x] = uint16_t(uint32_t(mode) | (word_at(PASS(x, y)) & COUNTS));
  }
}
