// Blurs down the columns what is blurred along the rows, and adds up the losses of each column in strips of 64 rows
// (docs/spec/beyond.md 3.4, 3.5, 5.3): an item has a column of all fields.
#include "kernel/exact_floats.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/ssimulacra2/ssimulacra2_args.h"
#include "metric/ssimulacra2/ssimulacra2_math.kernel.h"

#define FIELDS 5
#define RADIUS 5
#define STRIP 64
#define MAPS 3

struct Ssimulacra2ColumnsShared {
  int32_t unused;
};

KERNEL_USES(Ssimulacra2BlurArgs, Ssimulacra2ColumnsShared)

struct ColumnState {
  float last[FIELDS][SSIMULACRA2_SECTIONS];
  float last_but_one[FIELDS][SSIMULACRA2_SECTIONS];
};

struct ColumnSums {
  double sum[2 * MAPS];
};

FUNCTION(float) input_of(CONTEXT(CONST_BUFFER(float) rows, int32_t x, int32_t n)) {
  const int32_t below = n + RADIUS - 1;
  const int32_t above = n - RADIUS - 1;
  float fed = 0.0f;
  if (below < args.height) fed = rows.data[below * args.row + x];
  if (above >= 0) fed = rows.data[above * args.row + x] + fed;
  return fed;
}

FUNCTION(ColumnState) blur_down(CONTEXT(ColumnState before, int32_t x, int32_t n)) {
  ColumnState state = before;
  UNROLL for (int32_t f = 0; f < FIELDS; ++f) {
    if (f < args.fields) {
      CONST_BUFFER(float)
      rows = CONST_BUFFER_AT(float, args.rows, int64_t(group_z()) * args.pair + int64_t(f) * args.field);
      const float fed = input_of(PASS(rows, x, n));
      UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
        const float older = fused(-bits_float(kSectionDownBefore[k]), state.last[f][k], -state.last_but_one[f][k]);
        state.last_but_one[f][k] = state.last[f][k];
        state.last[f][k] = fused(bits_float(kSectionDownInput[k]), fed, older);
      }
    }
  }
  return state;
}

FUNCTION(float) blurred_value(ColumnState state, int32_t f) {
  return state.last[f][0] + (state.last[f][1] + state.last[f][2]);
}

FUNCTION(double) fourth_power(double value) { return (value * value) * (value * value); }

FUNCTION(ColumnSums) add_losses(CONTEXT(ColumnSums before, ColumnState state, int32_t x, int32_t y)) {
  ColumnSums sums = before;
  PixelMeans m;
  m.mean1 = blurred_value(state, 0);
  m.mean2 = blurred_value(state, 1);
  m.square1 = blurred_value(state, 2);
  m.square2 = blurred_value(state, 3);
  m.product = blurred_value(state, 4);
  float loss[MAPS];
  loss[0] = args.fields == FIELDS ? structure_loss(m) : 0.0f;
  CONST_BUFFER(float)
  reference = CONST_BUFFER_AT(float, args.reference, int64_t(reference_of(group_z(), args.inverse)) * args.picture);
  CONST_BUFFER(float) distorted = CONST_BUFFER_AT(float, args.distorted, int64_t(group_z()) * args.picture);
  const float change =
      edge_change(reference.data[y * args.row + x], distorted.data[y * args.row + x], m.mean1, m.mean2);
  loss[1] = change > 0.0f ? change : 0.0f;
  loss[2] = change < 0.0f ? -change : 0.0f;
  UNROLL for (int32_t i = 0; i < MAPS; ++i) {
    sums.sum[i] = sums.sum[i] + double(loss[i]);
    sums.sum[MAPS + i] = sums.sum[MAPS + i] + fourth_power(double(loss[i]));
  }
  return sums;
}

FUNCTION(ColumnSums) no_sums() {
  ColumnSums sums;
  UNROLL for (int32_t i = 0; i < 2 * MAPS; ++i) sums.sum[i] = DOUBLE(0.0);
  return sums;
}

FUNCTION(void) store_strip(CONTEXT(ColumnSums sums, int32_t x, int32_t strip)) {
  const int32_t first = (group_z() * args.strips + strip) * 2 * MAPS;
  UNROLL for (int32_t i = 0; i < 2 * MAPS; ++i) {
    BUFFER(double) columns = BUFFER_AT(double, args.columns, int64_t(first + i) * int64_t(args.width));
    columns.data[x] = sums.sum[i];
  }
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  if (x < args.width) {
    ColumnState state;
    UNROLL for (int32_t f = 0; f < FIELDS; ++f) {
      UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
        state.last[f][k] = 0.0f;
        state.last_but_one[f][k] = 0.0f;
      }
    }
    for (int32_t n = 1 - RADIUS; n < 0; ++n) state = blur_down(PASS(state, x, n));
    ColumnSums sums = no_sums();
    for (int32_t y = 0; y < args.height; ++y) {
      state = blur_down(PASS(state, x, y));
      sums = add_losses(PASS(sums, state, x, y));
      if ((y & (STRIP - 1)) == STRIP - 1 || y == args.height - 1) {
        store_strip(PASS(sums, x, y / STRIP));
        sums = no_sums();
      }
    }
  }
}
