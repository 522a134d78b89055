// Sums |earlier - current| along the rows. A running float sum cannot be split: one item adds up a row. A workgroup
// goes along BLOCK_X rows by tiles of ROWS * BLOCK_X columns: all items read a tile together, whole lines of memory at
// a time, then BLOCK_X of them add its rows while the next tile is on its way.
#include "metric/float_motion/float_motion_args.h"
#include "metric/float_motion/float_motion_math.kernel.h"

#define TILE_ROWS BLOCK_X
#define TILE_COLUMNS (ROWS * BLOCK_X)
#define SHARE_ROWS (TILE_ROWS / BLOCK_Y)  // of an item: ROWS values in each of them

struct FloatMotionRowsShared {
  float difference[TILE_ROWS][TILE_COLUMNS + 1];  // one more: neighbouring rows lie in different banks
};

KERNEL_USES(FloatMotionRowsArgs, FloatMotionRowsShared)

// The values of a tile that an item reads.
struct FloatMotionShare {
  float earlier[SHARE_ROWS][ROWS];
  float current[SHARE_ROWS][ROWS];
};

// Beyond the edges it reads the last sample again: nothing waits for a condition.
FUNCTION(FloatMotionShare) read_share(CONTEXT(int32_t first_row, int32_t first_column)) {
  const int64_t earlier_picture = int64_t(group_z()) * args.picture_stride;
  CONST_BUFFER(float) earlier = CONST_BUFFER_AT(float, args.pictures, earlier_picture);
  CONST_BUFFER(float) current = CONST_BUFFER_AT(float, args.pictures, earlier_picture + args.picture_stride);
  FloatMotionShare share;
  UNROLL for (int32_t r = 0; r < SHARE_ROWS; ++r) {
    const int32_t row = first_row + local_y() + r * BLOCK_Y;
    const int32_t y = row < args.height ? row : args.height - 1;
    UNROLL for (int32_t k = 0; k < ROWS; ++k) {
      const int32_t column = first_column + local_x() + k * BLOCK_X;
      const int32_t x = column < args.width ? column : args.width - 1;
      share.earlier[r][k] = earlier.data[y * args.row_stride + x];
      share.current[r][k] = current.data[y * args.row_stride + x];
    }
  }
  return share;
}

// Columns beyond the edge are 0, which leaves a sum as it is.
FUNCTION(void) share_differences(CONTEXT(FloatMotionShare share, int32_t first_column)) {
  for (int32_t r = 0; r < SHARE_ROWS; ++r) {
    for (int32_t k = 0; k < ROWS; ++k) {
      const float difference = absolute_difference(share.earlier[r][k], share.current[r][k]);
      const int32_t column = local_x() + k * BLOCK_X;
      group.difference[local_y() + r * BLOCK_Y][column] = first_column + column < args.width ? difference : 0.0f;
    }
  }
}

FUNCTION(float) add_row(CONTEXT(float sum)) {
  float running = sum;
  for (int32_t column = 0; column < TILE_COLUMNS; ++column) {
    running = running + group.difference[local_x()][column];
  }
  return running;
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * TILE_ROWS;
  float sum = 0.0f;
  FloatMotionShare share = read_share(PASS(first_row, 0));
  for (int32_t column = 0; column < args.width; column += TILE_COLUMNS) {
    share_differences(PASS(share, column));
    group_barrier();
    share = read_share(PASS(first_row, column + TILE_COLUMNS));
    if (local_y() == 0) sum = add_row(PASS(sum));
    group_barrier();
  }
  const int32_t y = first_row + local_x();
  if (local_y() == 0 && y < args.height) {
    const int32_t word = group_z() * args.rows_per_frame + args.first_row + y;
    args.words.data[2 * word] = sum;
    args.words.data[2 * word + 1] = 0.0f;
  }
}
