// The covariances of the 25 places of a block (docs/spec/siblings.md 2.4), five workgroups for each picture.
//
// 25 items add up the means. Then an item has one of the eight sums of five covariances: of a place of a block with
// those of a row; a covariance's running sums have the order of the definition.
#include "kernel/divide/any_float.kernel.h"
#include "metric/speed/speed_args.h"
#include "metric/speed/speed_math.kernel.h"

#define SIDE 5      // kSpeedSide
#define PARTIALS 8  // kSpeedPartials
#define TILES 3     // of a workgroup: pairs of rows of a block, the first not above the second; 15 in all
#define TILE (SIDE * SIDE)
#define AT_ONCE 16  // values of a mean

struct SpeedCovarianceShared {
  double sums[TILES * TILE][PARTIALS];
  float means[TILE];
};

KERNEL_USES(SpeedCovarianceArgs, SpeedCovarianceShared)

// The rows of a block that make a tile.
struct SpeedTile {
  int32_t first, second;
};

FUNCTION(SpeedTile) tile_rows(int32_t tile) {
  SpeedTile rows;
  rows.first = 0;
  while ((rows.first + 1) * (rows.first + 2) / 2 <= tile) ++rows.first;
  rows.second = tile - rows.first * (rows.first + 1) / 2;
  return rows;
}

FUNCTION(CONST_BUFFER(float)) picture_of_group(CONTEXT()) {
  return CONST_BUFFER_AT(float, args.sharp, int64_t(group_z()) * int64_t(args.columns * args.rows));
}

// Values of a window's row, from a column on.
struct SpeedValues {
  float of[AT_ONCE];
};

// 0 beyond the window.
FUNCTION(SpeedValues) window_values(CONTEXT(int32_t place, int32_t x, int32_t y)) {
  CONST_BUFFER(float) picture = picture_of_group(PASS());
  const int32_t first = (y + place / SIDE) * args.columns + place % SIDE + x;
  SpeedValues values;
  UNROLL for (int32_t i = 0; i < AT_ONCE; ++i) {
    values.of[i] = 0.0f;
    if (y < args.window_rows && x + i < args.window_columns) values.of[i] = picture.data[first + i];
  }
  return values;
}

// Each addition waits for the one before; the next values are read meanwhile.
FUNCTION(float) mean_of(CONTEXT(int32_t place)) {
  float sum = 0.0f;
  SpeedValues values = window_values(PASS(place, 0, 0));
  int32_t y = 0;
  int32_t x = 0;
  while (y < args.window_rows) {
    const bool ends_row = x + AT_ONCE >= args.window_columns;
    const int32_t next_x = ends_row ? 0 : x + AT_ONCE;
    const int32_t next_y = ends_row ? y + 1 : y;
    const SpeedValues next = window_values(PASS(place, next_x, next_y));
    UNROLL for (int32_t i = 0; i < AT_ONCE; ++i) {
      if (x + i < args.window_columns) sum = sum + values.of[i];
    }
    values = next;
    x = next_x;
    y = next_y;
  }
  return exact_divide_float(sum, float(args.window_rows * args.window_columns));
}

// i: the place in the first row. tile: of the workgroup.
FUNCTION(void) add_places(CONTEXT(int32_t tile, int32_t i, int32_t part)) {
  CONST_BUFFER(float) picture = picture_of_group(PASS());
  const SpeedTile rows = tile_rows(group_x() * TILES + tile);
  double means[SIDE];
  UNROLL for (int32_t j = 0; j < SIDE; ++j) means[j] = double(group.means[rows.second * SIDE + j]);
  const double own_mean = double(group.means[rows.first * SIDE + i]);
  double sums[SIDE];
  UNROLL for (int32_t j = 0; j < SIDE; ++j) sums[j] = DOUBLE(0.0);
  for (int32_t y = 0; y < args.window_rows; ++y) {
    const int32_t first = (y + rows.first) * args.columns + i;
    const int32_t second = (y + rows.second) * args.columns;
    for (int32_t x = part; x < args.window_columns; x += PARTIALS) {
      const double value = double(picture.data[first + x]) - own_mean;
      UNROLL for (int32_t j = 0; j < SIDE; ++j) {
        const double centred = double(picture.data[second + x + j]) - means[j];
        sums[j] = sums[j] + value * centred;
      }
    }
  }
  UNROLL for (int32_t j = 0; j < SIDE; ++j) group.sums[tile * TILE + i * SIDE + j][part] = sums[j];
}

FUNCTION(void) store_covariance(CONTEXT(int32_t element)) {
  const SpeedTile rows = tile_rows(group_x() * TILES + element / TILE);
  const int32_t i = rows.first * SIDE + element % TILE / SIDE;
  const int32_t j = rows.second * SIDE + element % SIDE;
  const double total =
      total_of_eight(group.sums[element][0], group.sums[element][1], group.sums[element][2], group.sums[element][3],
                     group.sums[element][4], group.sums[element][5], group.sums[element][6], group.sums[element][7]);
  const float covariance = float(exact_divide(total, double(args.window_rows * args.window_columns)));
  BUFFER(float) covariances = BUFFER_AT(float, args.covariances, int64_t(group_z()) * int64_t(TILE * TILE));
  if (i >= j) covariances.data[i * TILE + j] = covariance;
  if (i > j) covariances.data[j * TILE + i] = covariance;
}

KERNEL_MAIN() {
  if (local_x() < TILE) group.means[local_x()] = mean_of(PASS(local_x()));
  group_barrier();
  for (int32_t i = local_x(); i < TILES * SIDE * PARTIALS; i += BLOCK_X) {
    add_places(PASS(i / (SIDE * PARTIALS), i / PARTIALS % SIDE, i % PARTIALS));
  }
  group_barrier();
  for (int32_t i = local_x(); i < TILES * TILE; i += BLOCK_X) store_covariance(PASS(i));
}
