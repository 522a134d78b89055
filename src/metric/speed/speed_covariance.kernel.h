// The covariances of the 25 places of a block (docs/spec/siblings.md 2.4), a workgroup for each picture.
//
// 25 items add up the means. Then an item has one of the eight sums of 25 covariances: of the places of one row of a
// block with those of another; a covariance's running sums have the order of the definition.
#include "kernel/exact_math.kernel.h"
#include "metric/speed/speed_args.h"
#include "metric/speed/speed_math.kernel.h"

#define SIDE 5      // kSpeedSide
#define PARTIALS 8  // kSpeedPartials
#define TILES 15    // pairs of rows of a block, the first not above the second
#define TILE (SIDE * SIDE)
#define MEANS_AT_ONCE 8

struct SpeedCovarianceShared {
  double sums[TILES * TILE][PARTIALS];
  float means[TILE];
};

KERNEL_USES(SpeedCovarianceArgs, SpeedCovarianceShared)

// The rows of a block that make a tile.
struct SpeedTile {
  int32_t first;
  int32_t second;
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

// The values of a step are read together, for their sum has to wait for the one before.
FUNCTION(float) mean_of(CONTEXT(int32_t place)) {
  CONST_BUFFER(float) picture = picture_of_group(PASS());
  float sum = 0.0f;
  for (int32_t y = 0; y < args.window_rows; ++y) {
    const int32_t first = (y + place / SIDE) * args.columns + place % SIDE;
    for (int32_t x = 0; x < args.window_columns; x += MEANS_AT_ONCE) {
      float values[MEANS_AT_ONCE];
      UNROLL for (int32_t i = 0; i < MEANS_AT_ONCE; ++i) {
        values[i] = x + i < args.window_columns ? picture.data[first + x + i] : 0.0f;
      }
      UNROLL for (int32_t i = 0; i < MEANS_AT_ONCE; ++i) {
        if (x + i < args.window_columns) sum = sum + values[i];
      }
    }
  }
  return exact_divide_float(sum, float(args.window_rows * args.window_columns));
}

FUNCTION(void) add_tile(CONTEXT(int32_t tile, int32_t part)) {
  CONST_BUFFER(float) picture = picture_of_group(PASS());
  const SpeedTile rows = tile_rows(tile);
  double sums[TILE];
  UNROLL for (int32_t i = 0; i < TILE; ++i) sums[i] = DOUBLE(0.0);
  for (int32_t y = 0; y < args.window_rows; ++y) {
    for (int32_t x = part; x < args.window_columns; x += PARTIALS) {
      const int32_t first = (y + rows.first) * args.columns + x;
      const int32_t second = (y + rows.second) * args.columns + x;
      double centred[SIDE];
      UNROLL for (int32_t j = 0; j < SIDE; ++j) {
        centred[j] = double(picture.data[second + j]) - double(group.means[rows.second * SIDE + j]);
      }
      UNROLL for (int32_t i = 0; i < SIDE; ++i) {
        const double value = double(picture.data[first + i]) - double(group.means[rows.first * SIDE + i]);
        UNROLL for (int32_t j = 0; j < SIDE; ++j) sums[i * SIDE + j] = sums[i * SIDE + j] + value * centred[j];
      }
    }
  }
  UNROLL for (int32_t i = 0; i < TILE; ++i) group.sums[tile * TILE + i][part] = sums[i];
}

FUNCTION(void) store_covariance(CONTEXT(int32_t element)) {
  const SpeedTile rows = tile_rows(element / TILE);
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
  for (int32_t i = local_x(); i < TILES * PARTIALS; i += BLOCK_X) add_tile(PASS(i / PARTIALS, i % PARTIALS));
  group_barrier();
  for (int32_t i = local_x(); i < TILES * TILE; i += BLOCK_X) store_covariance(PASS(i));
}
