// Sums |earlier - current| along the rows. A running float sum cannot be split: one item adds up a row. A workgroup
// goes along BLOCK_X rows by tiles of ROWS * BLOCK_X columns: all items read a tile together, whole lines of memory at
// a time, then BLOCK_X of them add its rows.
#include "metric/float_motion/float_motion_args.h"

#define TILE_ROWS BLOCK_X
#define TILE_COLUMNS (ROWS * BLOCK_X)

struct FloatMotionRowsShared {
  float difference[TILE_ROWS][TILE_COLUMNS + 1];  // one more: neighbouring rows lie in different banks
};

KERNEL_USES(FloatMotionRowsArgs, FloatMotionRowsShared)

FUNCTION(float) absolute_difference(float a, float b) {
  EXACT float difference = a - b;
  return difference < 0.0f ? -difference : difference;
}

FUNCTION(void) read_tile(CONTEXT(int32_t first_row, int32_t first_column)) {
  const int64_t earlier_picture = int64_t(group_z()) * args.picture_stride;
  CONST_BUFFER(float) earlier = CONST_BUFFER_AT(float, args.pictures, earlier_picture);
  CONST_BUFFER(float) current = CONST_BUFFER_AT(float, args.pictures, earlier_picture + args.picture_stride);
  for (int32_t r = local_y(); r < TILE_ROWS; r += BLOCK_Y) {
    const int32_t y = first_row + r;
    for (int32_t k = 0; k < ROWS; ++k) {
      const int32_t column = k * BLOCK_X + local_x();
      const int32_t x = first_column + column;
      float difference = 0.0f;
      if (y < args.height && x < args.width) {
        const int32_t i = y * args.row_stride + x;
        difference = absolute_difference(earlier.data[i], current.data[i]);
      }
      group.difference[r][column] = difference;  // beyond the edge 0, which leaves a sum as it is
    }
  }
}

FUNCTION(float) add_row(CONTEXT(float sum)) {
  EXACT float running = sum;
  for (int32_t column = 0; column < TILE_COLUMNS; ++column) {
    running = running + group.difference[local_x()][column];
  }
  return running;
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * TILE_ROWS;
  float sum = 0.0f;
  for (int32_t column = 0; column < args.width; column += TILE_COLUMNS) {
    read_tile(PASS(first_row, column));
    group_barrier();
    if (local_y() == 0) sum = add_row(PASS(sum));
    group_barrier();
  }
  const int32_t y = first_row + local_x();
  if (local_y() == 0 && y < args.height) {
    args.row_sums.data[group_z() * args.rows_per_frame + args.first_row + y] = sum;
  }
}
