// Both scales' maps become one, and its columns are added up in strips of 64 rows: the largest value and powers
// (docs/spec/beyond.md 4.8, 4.9). An item has a column of a strip.
#include "kernel/divide/any_float.kernel.h"
#include "metric/butteraugli/butteraugli_args.h"
#include "metric/butteraugli/butteraugli_math.kernel.h"

#define ROWS_AT_ONCE 4

KERNEL_USES(ButteraugliSumsArgs, int32_t)

struct MapRows {
  float value[ROWS_AT_ONCE];
};

struct MapSums {
  double largest, of_3, of_6, of_12, of_q;
};

// Rows beyond the last one count nothing.
FUNCTION(MapRows) map_rows(CONTEXT(int32_t x, int32_t first)) {
  CONST_BUFFER(float) own = CONST_BUFFER_AT(float, args.map, int64_t(group_z()) * args.map_pair);
  CONST_BUFFER(float) smaller_map = CONST_BUFFER_AT(float, args.half_map, int64_t(group_z()) * args.half_pair);
  MapRows rows;
  UNROLL for (int32_t k = 0; k < ROWS_AT_ONCE; ++k) {
    const int32_t y = first + k;
    rows.value[k] = 0.0f;
    if (y < args.height) {
      rows.value[k] = own.data[y * args.map_row + x];
      if (args.half_row > 0) {
        rows.value[k] = with_half_map(rows.value[k], smaller_map.data[y / 2 * args.half_row + x / 2]);
      }
    }
  }
  return rows;
}

struct MapPowers {
  double value[ROWS_AT_ONCE];
};

// Powers for the q-norm: products from the left, all rows at once. Intel's compiler for CPUs makes a loop of products a
// loop of squares, unless something is done to each, here with a 0 that it does not know.
FUNCTION(MapPowers) powers_of(CONTEXT(MapRows rows)) {
  MapPowers powers;
  UNROLL for (int32_t k = 0; k < ROWS_AT_ONCE; ++k) powers.value[k] = double(rows.value[k]);
  for (int32_t i = 1; i < args.exponent; ++i) {
    UNROLL for (int32_t k = 0; k < ROWS_AT_ONCE; ++k) {
      const double product = powers.value[k] * double(rows.value[k]);
      powers.value[k] = bits_double(double_bits(product) ^ uint64_t(args.zero));
    }
  }
  return powers;
}

FUNCTION(MapSums) add_value(MapSums before, float value, double power) {
  MapSums sums = before;
  const double v = double(value);
  const double v3 = v * (v * v);
  const double v6 = v3 * v3;
  sums.largest = sums.largest < v ? v : sums.largest;
  sums.of_3 = sums.of_3 + v3;
  sums.of_6 = sums.of_6 + v6;
  sums.of_12 = sums.of_12 + v6 * v6;
  sums.of_q = sums.of_q + power;
  return sums;
}

FUNCTION(void) store(CONTEXT(int32_t word, int32_t x, double value)) {
  const int32_t line = (group_z() * args.strips + group_y()) * BUTTERAUGLI_WORDS + word;
  BUFFER(double) columns = BUFFER_AT(double, args.columns, int64_t(line) * int64_t(args.width));
  columns.data[x] = value;
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t top = group_y() * BUTTERAUGLI_STRIP;
  BUFFER(float) artifact = BUFFER_AT(float, args.artifact, int64_t(group_z()) * args.artifact_pair);
  MapSums sums = {DOUBLE(0.0), DOUBLE(0.0), DOUBLE(0.0), DOUBLE(0.0), DOUBLE(0.0)};
  if (x < args.width) {
    for (int32_t first = top; first < top + BUTTERAUGLI_STRIP; first += ROWS_AT_ONCE) {
      const MapRows rows = map_rows(PASS(x, first));
      const MapPowers powers = powers_of(PASS(rows));
      UNROLL for (int32_t k = 0; k < ROWS_AT_ONCE; ++k) {
        sums = add_value(sums, rows.value[k], powers.value[k]);
        if (args.artifact_row > 0 && first + k < args.height) {
          artifact.data[(first + k) * args.artifact_row + x] = rows.value[k];
        }
      }
    }
    store(PASS(0, x, sums.largest));
    store(PASS(1, x, sums.of_3));
    store(PASS(2, x, sums.of_6));
    store(PASS(3, x, sums.of_12));
    store(PASS(4, x, sums.of_q));
  }
}
