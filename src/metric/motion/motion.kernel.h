// Sum of |low-passed (earlier - current)| over a plane (docs/spec/core.md 3.3).
//
// Items form columns: each filters ROWS differences of its column down the rows, all share the results, and then each
// but the two outermost at both ends of a row of items filters along the row. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/border.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/motion/motion_args.h"
#include "metric/motion/motion_math.kernel.h"

#define MARGIN 2
#define COLUMNS (BLOCK_X - 2 * MARGIN)

struct MotionSadShared {
  int32_t filtered[BLOCK_Y][ROWS][BLOCK_X];
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(MotionSadArgs, MotionSadShared)

#include "metric/blocks/partial_sums.kernel.h"

// Filters the column for the ROWS rows from first_row on.
FUNCTION(void) filter_column(CONTEXT(int32_t column, int32_t first_row)) {
  CONST_BUFFER(PIXEL) earlier = OWN_PLANE(PIXEL, args.earlier);
  CONST_BUFFER(PIXEL) current = OWN_PLANE(PIXEL, args.current);
  int32_t d[ROWS + 2 * MARGIN];
  UNROLL for (int32_t r = 0; r < ROWS + 2 * MARGIN; ++r) {
    const int32_t i = mirror_index(first_row + r - MARGIN, args.plane.height) * args.plane.row_stride + column;
    d[r] = int32_t(earlier.data[i]) - int32_t(current.data[i]);
  }
  UNROLL for (int32_t r = 0; r < ROWS; ++r) {
    const int64_t sum = lowpass(d[r], d[r + 1], d[r + 2], d[r + 3], d[r + 4]);
    group.filtered[local_y()][r][local_x()] = round_shift(sum, args.bit_depth);
  }
}

FUNCTION(uint64_t) absolute_row_value(CONTEXT(int32_t r)) {
  const int32_t x = local_x();
  const int32_t y = local_y();
  const int64_t sum = lowpass(group.filtered[y][r][x - 2], group.filtered[y][r][x - 1], group.filtered[y][r][x],
                              group.filtered[y][r][x + 1], group.filtered[y][r][x + 2]);
  const int32_t value = round_shift(sum, kTapBits);
  return uint64_t(value < 0 ? -value : value);
}

KERNEL_MAIN() {
  const int32_t column = group_x() * COLUMNS + local_x() - MARGIN;
  const int32_t first_row = (group_y() * BLOCK_Y + local_y()) * ROWS;
  filter_column(PASS(mirror_index(column, args.plane.width), first_row));
  group_barrier();
  uint64_t sad = uint64_t(0u);
  if (local_x() >= MARGIN && local_x() < BLOCK_X - MARGIN && column < args.plane.width) {
    UNROLL for (int32_t r = 0; r < ROWS; ++r) {
      if (first_row + r < args.plane.height) sad += absolute_row_value(PASS(r));
    }
  }
  store_partial_sum(PASS(sad));
}
