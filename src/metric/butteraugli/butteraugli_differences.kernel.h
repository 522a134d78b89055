// From the frequencies of two pictures to the map (docs/spec/beyond.md 4.5 to 4.7). Differences of a band lie in shared
// memory, a tile of BLOCK_X columns with BORDER more on each side; an item has a column of ROWS pixels, whose lines
// share what they read.
#include "kernel/divide/any_float.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/butteraugli/butteraugli_args.h"
#include "metric/butteraugli/butteraugli_math.kernel.h"

#define BORDER 4
#define AT_ONCE 4
#define TILE_ROWS (BLOCK_Y * ROWS)
#define READ_ROWS (TILE_ROWS + 2 * BORDER)
#define READ_COLUMNS (BLOCK_X + 2 * BORDER)
#define WINDOW_ROWS (ROWS + 2 * BORDER)
#define WINDOW_COLUMNS (2 * BORDER + 1)

struct ButteraugliDifferencesShared {
  float difference[READ_ROWS][READ_COLUMNS];
};

KERNEL_USES(ButteraugliDifferencesArgs, ButteraugliDifferencesShared)

struct PixelColumn {
  float value[ROWS];
};

struct Neighbours {
  float value[WINDOW_ROWS][WINDOW_COLUMNS];
};

FUNCTION(CONST_BUFFER(float)) plane_of(CONTEXT(bool is_distorted, int32_t place)) {
  const int32_t reference = reference_of(group_z(), args.inverse);
  const int32_t picture = is_distorted ? args.references + group_z() : reference;
  return CONST_BUFFER_AT(float, args.planes, int64_t(picture * BUTTERAUGLI_PLANES + place) * args.plane);
}

FUNCTION(void) read_band(CONTEXT(int32_t place, int32_t weights)) {
  CONST_BUFFER(float) reference = plane_of(PASS(false, place));
  CONST_BUFFER(float) distorted = plane_of(PASS(true, place));
  MaltaWeights malta = {args.constants.data[weights], args.constants.data[weights + 1],
                        args.constants.data[weights + 2]};
  const int32_t first_x = group_x() * BLOCK_X - BORDER;
  const int32_t first_y = group_y() * TILE_ROWS - BORDER;
  const int32_t item = local_y() * BLOCK_X + local_x();
  // Several at a time, so that they are under way together.
  for (int32_t i = item; i < READ_ROWS * READ_COLUMNS; i += AT_ONCE * BLOCK_X * BLOCK_Y) {
    float one[AT_ONCE], other[AT_ONCE];
    UNROLL for (int32_t k = 0; k < AT_ONCE; ++k) {
      const int32_t r = (i + k * BLOCK_X * BLOCK_Y) / READ_COLUMNS;
      const int32_t c = i + k * BLOCK_X * BLOCK_Y - r * READ_COLUMNS;
      const int32_t at = nearest(first_y + r, args.height) * args.row + nearest(first_x + c, args.width);
      one[k] = reference.data[at];
      other[k] = distorted.data[at];
    }
    UNROLL for (int32_t k = 0; k < AT_ONCE; ++k) {
      const int32_t r = (i + k * BLOCK_X * BLOCK_Y) / READ_COLUMNS;
      const int32_t c = i + k * BLOCK_X * BLOCK_Y - r * READ_COLUMNS;
      const int32_t x = first_x + c;
      const int32_t y = first_y + r;
      const float difference = malta_difference(one[k], other[k], malta);
      const bool is_inside = x >= 0 && x < args.width && y >= 0 && y < args.height;
      if (r < READ_ROWS) group.difference[r][c] = is_inside ? difference : 0.0f;
    }
  }
}

FUNCTION(Neighbours) neighbours(CONTEXT()) {
  Neighbours near;
  UNROLL for (int32_t r = 0; r < WINDOW_ROWS; ++r) {
    UNROLL for (int32_t c = 0; c < WINDOW_COLUMNS; ++c) {
      near.value[r][c] = group.difference[local_y() * ROWS + r][local_x() + c];
    }
  }
  return near;
}

// A line is symmetric: the offsets before its centre, from the outside.
#define AT(Y, X) near.value[k + BORDER + (Y)][BORDER + (X)]
#define LINE_5(Y0, X0, Y1, X1) (AT(Y0, X0) + AT(Y1, X1)) + (AT(0, 0) + (AT(-(Y1), -(X1)) + AT(-(Y0), -(X0))))
#define LINE_7(Y0, X0, Y1, X1, Y2, X2) \
  (AT(Y0, X0) + AT(Y1, X1)) + (AT(Y2, X2) + ((AT(0, 0) + AT(-(Y2), -(X2))) + (AT(-(Y1), -(X1)) + AT(-(Y0), -(X0)))))
#define LINE_9(Y0, X0, Y1, X1, Y2, X2, Y3, X3)                                \
  (((AT(Y0, X0) + AT(Y1, X1)) + (AT(Y2, X2) + AT(Y3, X3))) +                  \
   ((AT(0, 0) + AT(-(Y3), -(X3))) + (AT(-(Y2), -(X2)) + AT(-(Y1), -(X1))))) + \
      AT(-(Y0), -(X0))

FUNCTION(float) sparse_lines(Neighbours near, int32_t k) {
  WIDE_FLOAT total = squared_line(LINE_5(0, -4, 0, -2));
  total = with_line(LINE_5(-4, 0, -2, 0), total);
  total = with_line(LINE_5(-3, -3, -2, -2), total);
  total = with_line(LINE_5(-3, 3, -2, 2), total);
  total = with_line(LINE_5(-4, 1, -2, 1), total);
  total = with_line(LINE_5(-4, -1, -2, -1), total);
  total = with_line(LINE_5(-1, -4, -1, -2), total);
  total = with_line(LINE_5(1, -4, 1, -2), total);
  total = with_line(LINE_5(-3, -2, -2, -1), total);
  total = with_line(LINE_5(-3, 2, -2, 1), total);
  total = with_line(LINE_5(-2, -3, -1, -2), total);
  total = with_line(LINE_5(-2, 3, -1, 2), total);
  total = with_line(LINE_5(2, -4, 1, -2), total);
  total = with_line(LINE_5(-2, -4, -1, -2), total);
  total = with_line(LINE_5(-4, -2, -2, -1), total);
  return float(with_line(LINE_5(-4, 2, -2, 1), total));
}

// The last four lines come twice.
FUNCTION(float) dense_lines(Neighbours near, int32_t k) {
  WIDE_FLOAT total = squared_line(LINE_9(0, -4, 0, -3, 0, -2, 0, -1));
  total = with_line(LINE_9(-4, 0, -3, 0, -2, 0, -1, 0), total);
  total = with_line(LINE_7(-3, -3, -2, -2, -1, -1), total);
  total = with_line(LINE_7(-3, 3, -2, 2, -1, 1), total);
  const float above_right = LINE_9(-4, 1, -3, 1, -2, 1, -1, 0);
  const float above_left = LINE_9(-4, -1, -3, -1, -2, -1, -1, 0);
  const float left_above = LINE_9(-1, -4, -1, -3, -1, -2, 0, -1);
  const float left_below = LINE_9(1, -4, 1, -3, 1, -2, 0, -1);
  total = with_line(above_right, total);
  total = with_line(above_left, total);
  total = with_line(left_above, total);
  total = with_line(left_below, total);
  total = with_line(LINE_7(-3, -2, -2, -1, -1, -1), total);
  total = with_line(LINE_7(-3, 2, -2, 1, -1, 1), total);
  total = with_line(LINE_7(-2, -3, -1, -2, -1, -1), total);
  total = with_line(LINE_7(-2, 3, -1, 2, -1, 1), total);
  total = with_line(left_below, total);
  total = with_line(left_above, total);
  total = with_line(above_left, total);
  return float(with_line(above_right, total));
}

FUNCTION(PixelColumn) add_sparse(CONTEXT(PixelColumn before, int32_t place, int32_t weights)) {
  read_band(PASS(place, weights));
  group_barrier();
  const Neighbours near = neighbours(PASS());
  PixelColumn sums = before;
  UNROLL for (int32_t k = 0; k < ROWS; ++k) sums.value[k] = sums.value[k] + sparse_lines(near, k);
  group_barrier();
  return sums;
}

FUNCTION(PixelColumn) dense(CONTEXT(int32_t place, int32_t weights)) {
  read_band(PASS(place, weights));
  group_barrier();
  const Neighbours near = neighbours(PASS());
  PixelColumn sums;
  UNROLL for (int32_t k = 0; k < ROWS; ++k) sums.value[k] = dense_lines(near, k);
  group_barrier();
  return sums;
}

// The sums along lines of channel c, x or y.
FUNCTION(PixelColumn) malta_sums(CONTEXT(int32_t c)) {
  const int32_t weights = BUTTERAUGLI_MALTA + 9 * c;
  PixelColumn sums = dense(PASS(BUTTERAUGLI_HIGHEST + c, weights));
  // A loop: the code of a band is long.
  for (int32_t band = 0; band < 2; ++band) {
    sums = add_sparse(PASS(sums, (band == 0 ? BUTTERAUGLI_HIGH : BUTTERAUGLI_MIDDLE) + c, weights + 3 + 3 * band));
  }
  return sums;
}

// The mask of the reference alone.
FUNCTION(float) mask_of(CONTEXT(CONST_BUFFER(float) mask, int32_t x, int32_t y)) {
  const float value = mask.data[y * args.row + x];
  SmallestThree smallest = {value, 2.0f * value, 2.0f * value};
  UNROLL for (int32_t i = 0; i < 9; ++i) {
    const int32_t near_x = x + 3 * (i % 3 - 1);
    const int32_t near_y = y + 3 * (i / 3 - 1);
    if (i != 4 && near_x >= 0 && near_x < args.width && near_y >= 0 && near_y < args.height) {
      smallest = with_value(smallest, mask.data[near_y * args.row + near_x]);
    }
  }
  return eroded(smallest);
}

FUNCTION(float) value_at(CONTEXT(bool is_distorted, int32_t place, int32_t i)) {
  CONST_BUFFER(float) plane = plane_of(PASS(is_distorted, place));
  return plane.data[i];
}

FUNCTION(float) squared_difference(CONTEXT(int32_t place, int32_t i)) {
  const float difference = value_at(PASS(false, place, i)) - value_at(PASS(true, place, i));
  return difference * difference;
}

FUNCTION(float) with_squares(CONTEXT(int32_t c, int32_t i, float lines)) {
  const float square = args.constants.data[BUTTERAUGLI_SQUARES + c];
  const float sum = asymmetric_square(value_at(PASS(false, BUTTERAUGLI_HIGH + c, i)),
                                      value_at(PASS(true, BUTTERAUGLI_HIGH + c, i)), square, square, lines);
  return fused(squared_difference(PASS(BUTTERAUGLI_MIDDLE + c, i)), args.constants.data[BUTTERAUGLI_MIDDLE_SQUARES + c],
               sum);
}

FUNCTION(ButteraugliColor) low_at(CONTEXT(bool is_distorted, int32_t i)) {
  ButteraugliColor low = {value_at(PASS(is_distorted, BUTTERAUGLI_LOW, i)),
                          value_at(PASS(is_distorted, BUTTERAUGLI_LOW + 1, i)),
                          value_at(PASS(is_distorted, BUTTERAUGLI_LOW + 2, i))};
  return weighed_low(low);
}

FUNCTION(ButteraugliColor) low_differences(CONTEXT(int32_t i)) {
  const ButteraugliColor a = low_at(PASS(false, i));
  const ButteraugliColor b = low_at(PASS(true, i));
  const ButteraugliColor low = {(a.x - b.x) * (a.x - b.x) * args.constants.data[BUTTERAUGLI_LOW_SQUARES],
                                (a.y - b.y) * (a.y - b.y) * args.constants.data[BUTTERAUGLI_LOW_SQUARES + 1],
                                (a.b - b.b) * (a.b - b.b) * args.constants.data[BUTTERAUGLI_LOW_SQUARES + 2]};
  return low;
}

FUNCTION(float) map_at(CONTEXT(int32_t x, int32_t y, float lines_x, float lines_y)) {
  const int32_t i = y * args.row + x;
  ButteraugliColor other = {
      with_squares(PASS(0, i, lines_x)), with_squares(PASS(1, i, lines_y)),
      squared_difference(PASS(BUTTERAUGLI_MIDDLE + 2, i)) * args.constants.data[BUTTERAUGLI_MIDDLE_SQUARES + 2]};
  CONST_BUFFER(float) mask = plane_of(PASS(false, BUTTERAUGLI_MASK));
  const float masks = mask.data[i] - value_at(PASS(true, BUTTERAUGLI_MASK, i));
  other.y = other.y + 10.0f * masks * masks;
  return butteraugli_difference(low_differences(PASS(i)), other, mask_of(PASS(mask, x, y)));
}

KERNEL_MAIN() {
  PixelColumn of_x;
  PixelColumn of_y;
  UNROLL for (int32_t k = 0; k < ROWS; ++k) of_y.value[k] = 0.0f;
  // A loop: the code of a channel is long.
  for (int32_t c = 0; c < 2; ++c) {
    of_x = of_y;
    of_y = malta_sums(PASS(c));
  }
  const int32_t x = group_x() * BLOCK_X + local_x();
  BUFFER(float) map = BUFFER_AT(float, args.map, int64_t(group_z()) * args.map_pair);
  UNROLL for (int32_t k = 0; k < ROWS; ++k) {
    const int32_t y = group_y() * TILE_ROWS + local_y() * ROWS + k;
    if (x < args.width && y < args.height) {
      map.data[y * args.row + x] = map_at(PASS(x, y, of_x.value[k], of_y.value[k]));
    }
  }
}
