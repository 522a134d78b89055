// Adds the differences of each row, in double, from the first to the last: one item adds up a row. A workgroup goes
// along BLOCK_X rows by tiles of ROWS * BLOCK_X columns: all items read a tile together, whole lines of memory at a
// time, then BLOCK_X of them add its rows while the next tile is on its way.
#include "metric/ciede/ciede_rows_args.h"

#define TILE_ROWS BLOCK_X
#define TILE_COLUMNS (ROWS * BLOCK_X)
#define SHARE_ROWS (TILE_ROWS / BLOCK_Y)  // of an item: ROWS values in each of them

struct CiedeRowsShared {
  float difference[TILE_ROWS][TILE_COLUMNS + 1];  // one more: neighbouring rows lie in different banks
};

KERNEL_USES(CiedeRowsArgs, CiedeRowsShared)

// The values of a tile that an item reads.
struct CiedeShare {
  float at[SHARE_ROWS][ROWS];
};

// Beyond the last row it reads that row again, beyond the last column 0, which leaves a sum as it is.
FUNCTION(CiedeShare) read_share(CONTEXT(int32_t first_row, int32_t first_column)) {
  const int64_t picture = int64_t(group_z()) * int64_t(args.height) * int64_t(args.difference_row);
  CONST_BUFFER(float) differences = CONST_BUFFER_AT(float, args.differences, picture);
  CiedeShare share;
  UNROLL for (int32_t r = 0; r < SHARE_ROWS; ++r) {
    const int32_t row = first_row + local_y() + r * BLOCK_Y;
    const int32_t y = row < args.height ? row : args.height - 1;
    UNROLL for (int32_t k = 0; k < ROWS; ++k) {
      const int32_t x = first_column + local_x() + k * BLOCK_X;
      share.at[r][k] = 0.0f;
      if (x < args.width) share.at[r][k] = differences.data[y * args.difference_row + x];
    }
  }
  return share;
}

FUNCTION(void) store_share(CONTEXT(CiedeShare share)) {
  UNROLL for (int32_t r = 0; r < SHARE_ROWS; ++r) {
    UNROLL for (int32_t k = 0; k < ROWS; ++k) {
      group.difference[local_y() + r * BLOCK_Y][local_x() + k * BLOCK_X] = share.at[r][k];
    }
  }
}

FUNCTION(double) add_row(CONTEXT(double sum)) {
  double running = sum;
  for (int32_t column = 0; column < TILE_COLUMNS; ++column) {
    running = running + double(group.difference[local_x()][column]);
  }
  return running;
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * TILE_ROWS;
  double sum = DOUBLE(0.0);
  CiedeShare share = read_share(PASS(first_row, 0));
  for (int32_t column = 0; column < args.width; column += TILE_COLUMNS) {
    store_share(PASS(share));
    group_barrier();
    share = read_share(PASS(first_row, column + TILE_COLUMNS));
    if (local_y() == 0) sum = add_row(PASS(sum));
    group_barrier();
  }
  const int32_t y = first_row + local_x();
  if (local_y() == 0 && y < args.height) args.words.data[group_z() * args.height + y] = sum;
}
