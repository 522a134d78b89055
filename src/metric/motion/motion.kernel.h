// Sum of |low-passed (earlier - current)| over a plane (spec/core.md 3.3).
//
// Items form columns: each filters ROWS differences of its column down the rows, all share the results, and then each
// but the two outermost at both ends of a row of items filters along the row. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/border.kernel.h"
#include "metric/motion/motion_args.h"

#define MARGIN 2
#define COLUMNS (BLOCK_X - 2 * MARGIN)

struct MotionSadShared {
  int32_t filtered[BLOCK_Y][ROWS][BLOCK_X];
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(MotionSadArgs, MotionSadShared)

#include "metric/blocks/partial_sums.kernel.h"

// Values up to 65535 in magnitude: the sum of products needs 33 bits. (Samples beyond the bit depth, where a clip has
// no history yet, need 39.)
FUNCTION(int64_t) lowpass(int32_t m2, int32_t m1, int32_t middle, int32_t p1, int32_t p2) {
  return int64_t(MOTION_TAP_OUTER) * int64_t(m2 + p2) + int64_t(MOTION_TAP_INNER) * int64_t(m1 + p1) +
         int64_t(MOTION_TAP_MIDDLE) * int64_t(middle);
}

// y = (sum + 2^(depth-1)) >> depth, for the ROWS rows from first_row on.
FUNCTION(void) filter_column(CONTEXT(int32_t column, int32_t first_row)) {
  const int64_t picture = int64_t(group_z()) * args.picture_stride;
  CONST_BUFFER(PIXEL) earlier = CONST_BUFFER_AT(PIXEL, args.earlier, picture);
  CONST_BUFFER(PIXEL) current = CONST_BUFFER_AT(PIXEL, args.current, picture);
  int32_t d[ROWS + 2 * MARGIN];
  UNROLL for (int32_t r = 0; r < ROWS + 2 * MARGIN; ++r) {
    const int32_t i = mirror_index(first_row + r - MARGIN, args.height) * args.row_stride + column;
    d[r] = int32_t(earlier.data[i]) - int32_t(current.data[i]);
  }
  const int64_t rounding = int64_t(1) << (args.bit_depth - 1);
  UNROLL for (int32_t r = 0; r < ROWS; ++r) {
    const int64_t sum = lowpass(d[r], d[r + 1], d[r + 2], d[r + 3], d[r + 4]);
    group.filtered[local_y()][r][local_x()] = int32_t((sum + rounding) >> args.bit_depth);
  }
}

FUNCTION(uint64_t) absolute_row_value(CONTEXT(int32_t r)) {
  const int32_t x = local_x();
  const int32_t y = local_y();
  const int64_t sum = lowpass(group.filtered[y][r][x - 2], group.filtered[y][r][x - 1], group.filtered[y][r][x],
                              group.filtered[y][r][x + 1], group.filtered[y][r][x + 2]);
  const int32_t value = int32_t((sum + int64_t(32768)) >> 16);
  return uint64_t(value < 0 ? -value : value);
}

KERNEL_MAIN() {
  const int32_t column = group_x() * COLUMNS + local_x() - MARGIN;
  const int32_t first_row = (group_y() * BLOCK_Y + local_y()) * ROWS;
  filter_column(PASS(mirror_index(column, args.width), first_row));
  group_barrier();
  uint64_t sad = uint64_t(0u);
  if (local_x() >= MARGIN && local_x() < BLOCK_X - MARGIN && column < args.width) {
    UNROLL for (int32_t r = 0; r < ROWS; ++r) {
      if (first_row + r < args.height) sad += absolute_row_value(PASS(r));
    }
  }
  store_partial_sum(PASS(sad));
}
