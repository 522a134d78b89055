// Blurs pictures (docs/spec/core.md 4.1, 4.2): five taps down the columns, then along the rows,
// each a running float sum.
//
// Items form columns: each filters ROWS values of its column, all share the results, and then each but the two
// outermost at both ends of a row of items filters along the row. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/border.kernel.h"
#include "metric/float_motion/float_motion_blur_args.h"

#define MARGIN 2
#define COLUMNS (BLOCK_X - 2 * MARGIN)

struct FloatMotionBlurShared {
  float filtered[BLOCK_Y][ROWS][BLOCK_X];
};

KERNEL_USES(FloatMotionBlurArgs, FloatMotionBlurShared)

FUNCTION(float) five_taps(float outer, float inner, float middle, float m2, float m1, float at, float p1, float p2) {
  float sum = outer * m2 + inner * m1 + middle * at + inner * p1 + outer * p2;
  return sum;
}

FUNCTION(void) filter_column(CONTEXT(int32_t column, int32_t first_row)) {
  CONST_BUFFER(PIXEL) samples = CONST_BUFFER_AT(PIXEL, args.samples, int64_t(group_z()) * args.picture_stride);
  float s[ROWS + 2 * MARGIN];
  UNROLL for (int32_t r = 0; r < ROWS + 2 * MARGIN; ++r) {
    const int32_t y = mirror_index(first_row + r - MARGIN, args.height);
    s[r] = float(int32_t(samples.data[y * args.row_stride + column]) - args.middle);
  }
  for (int32_t r = 0; r < ROWS; ++r) {
    group.filtered[local_y()][r][local_x()] = five_taps(args.sample_outer, args.sample_inner, args.sample_middle, s[r],
                                                        s[r + 1], s[r + 2], s[r + 3], s[r + 4]);
  }
}

FUNCTION(float) filter_row(CONTEXT(int32_t r)) {
  const int32_t x = local_x();
  const int32_t y = local_y();
  return five_taps(args.outer, args.inner, args.center, group.filtered[y][r][x - 2], group.filtered[y][r][x - 1],
                   group.filtered[y][r][x], group.filtered[y][r][x + 1], group.filtered[y][r][x + 2]);
}

KERNEL_MAIN() {
  const int32_t column = group_x() * COLUMNS + local_x() - MARGIN;
  const int32_t first_row = (group_y() * BLOCK_Y + local_y()) * ROWS;
  filter_column(PASS(mirror_index(column, args.width), first_row));
  group_barrier();
  if (local_x() >= MARGIN && local_x() < BLOCK_X - MARGIN && column < args.width) {
    BUFFER(float) blurred = BUFFER_AT(float, args.blurred, int64_t(group_z()) * args.blurred_stride);
    for (int32_t r = 0; r < ROWS; ++r) {
      if (first_row + r < args.height) {
        blurred.data[(first_row + r) * args.blurred_row + column] = filter_row(PASS(r));
      }
    }
  }
}
