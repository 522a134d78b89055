// Blurs along the rows: both pictures, their squares and their product, which have one order of work
// (docs/spec/beyond.md 3.4). A workgroup (component, rows, pair) goes along BLOCK_X rows by tiles; of a row an item of
// its own blurs each field, in place. All items read tiles and write results, whole lines of memory at a time; those of
// the next tile are on their way meanwhile.
#include "kernel/divide/float_via_double.kernel.h"
#include "metric/ssimulacra2/ssimulacra2_args.h"
#include "metric/ssimulacra2/ssimulacra2_math.kernel.h"

#define FIELDS 5
#define RADIUS 5
#define TILE_ROWS BLOCK_X
#define TILE BLOCK_X              // columns of results, a multiple of the four that are made at a time
#define BEFORE (2 * RADIUS)       // columns that a tile reads before them
#define READ (TILE + BEFORE + 4)  // and all that it reads
#define SHARES (TILE_ROWS / BLOCK_Y)

struct Ssimulacra2RowsShared {
  float field[FIELDS][TILE_ROWS][READ + 1];
};

KERNEL_USES(Ssimulacra2BlurArgs, Ssimulacra2RowsShared)

#include "metric/ssimulacra2/ssimulacra2_fields.kernel.h"

struct RowState {
  WIDE_FLOAT last[SSIMULACRA2_SECTIONS];
  WIDE_FLOAT last_but_one[SSIMULACRA2_SECTIONS];
};

// An item's share of a tile: of each of its rows two columns.
struct TileShare {
  float reference[2 * SHARES], distorted[2 * SHARES];
};

FUNCTION(TileShare) read_tile(CONTEXT(int32_t first_row, int32_t first)) {
  CONST_BUFFER(float) reference = reference_plane(PASS(group_x()));
  CONST_BUFFER(float) distorted = distorted_plane(PASS(group_x()));
  TileShare share;
  UNROLL for (int32_t i = 0; i < 2 * SHARES; ++i) {
    const int32_t column = local_x() + (i & 1) * BLOCK_X;
    const int32_t x = first - BEFORE + column;
    const int32_t y = first_row + local_y() + (i / 2) * BLOCK_Y;
    share.reference[i] = 0.0f;
    share.distorted[i] = 0.0f;
    if (column < READ && x >= 0 && x < args.width && y < args.height) {
      share.reference[i] = reference.data[y * args.row + x];
      share.distorted[i] = distorted.data[y * args.row + x];
    }
  }
  return share;
}

FUNCTION(void) store_tile(CONTEXT(TileShare share, int32_t fields)) {
  UNROLL for (int32_t i = 0; i < 2 * SHARES; ++i) {
    const int32_t column = local_x() + (i & 1) * BLOCK_X;
    const int32_t row = local_y() + (i / 2) * BLOCK_Y;
    const float p = share.reference[i];
    const float q = share.distorted[i];
    if (column < READ) {
      group.field[0][row][column] = p;
      group.field[1][row][column] = q;
      if (fields == FIELDS) {
        group.field[2][row][column] = p * p;
        group.field[3][row][column] = q * q;
        group.field[4][row][column] = p * q;
      }
    }
  }
}

// The value of the item's field and row; `place` counts in the tile that is read.
FUNCTION(float) field_at(CONTEXT(int32_t place)) { return group.field[local_y()][local_x()][place]; }

FUNCTION(float) input_at(CONTEXT(int32_t place)) {
  return field_at(PASS(place - RADIUS - 1)) + field_at(PASS(place + RADIUS - 1));
}

FUNCTION(WIDE_FLOAT) input_weight(int32_t section, int32_t place) { return WIDE_FLOAT(section_input(section, place)); }
FUNCTION(WIDE_FLOAT) weight(int32_t section, int32_t place) { return WIDE_FLOAT(section_before(section, place)); }
FUNCTION(WIDE_FLOAT) weight_before(int32_t section, int32_t place) {
  return WIDE_FLOAT(section_before_that(section, place));
}

FUNCTION(float) result_of(WIDE_FLOAT first, WIDE_FLOAT second, WIDE_FLOAT third) {
  return float(first) + (float(second) + float(third));
}

// The result in column `n` of a tile, which may lie before it. It takes a place that no later result needs.
FUNCTION(RowState) blur_one(CONTEXT(RowState before, int32_t n)) {
  RowState state = before;
  // The columns before the picture are 0, and lie before what was read.
  const int32_t place = n + BEFORE;
  const float fed = n < 0 ? field_at(PASS(place + RADIUS - 1)) : input_at(PASS(place));
  UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
    const float weighted = fed * section_input(k, 0);
    const WIDE_FLOAT older = fused_wide(state.last_but_one[k], weight_before(k, 0), WIDE_FLOAT(weighted));
    state.last_but_one[k] = state.last[k];
    state.last[k] = fused_wide(state.last[k], weight(k, 0), older);
  }
  if (n >= 0) group.field[local_y()][local_x()][n] = result_of(state.last[0], state.last[1], state.last[2]);
  return state;
}

FUNCTION(RowState) blur_four(CONTEXT(RowState before, int32_t n)) {
  RowState state = before;
  float inputs[4];
  WIDE_FLOAT wide[4];
  WIDE_FLOAT results[SSIMULACRA2_SECTIONS][4];
  UNROLL for (int32_t i = 0; i < 4; ++i) {
    inputs[i] = input_at(PASS(n + BEFORE + i));
    wide[i] = WIDE_FLOAT(inputs[i]);
  }
  UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
    UNROLL for (int32_t i = 0; i < 4; ++i) {
      const float weighted = inputs[0] * section_input(k, i);
      WIDE_FLOAT sum = WIDE_FLOAT(weighted);
      UNROLL for (int32_t j = 1; j < 4; ++j) {
        if (j <= i) sum = fused_wide(wide[j], input_weight(k, i - (j <= i ? j : i)), sum);
      }
      sum = fused_wide(state.last_but_one[k], weight_before(k, i), sum);
      results[k][i] = fused_wide(state.last[k], weight(k, i), sum);
    }
    state.last_but_one[k] = results[k][2];
    state.last[k] = results[k][3];
  }
  UNROLL for (int32_t i = 0; i < 4; ++i) {
    group.field[local_y()][local_x()][n + i] = result_of(results[0][i], results[1][i], results[2][i]);
  }
  return state;
}

// The results from column `first` of the picture on; the first eight and the last are made alone.
FUNCTION(RowState) blur_tile(CONTEXT(RowState before, int32_t first)) {
  RowState state = before;
  if (first == 0) {
    for (int32_t n = 1 - RADIUS; n < 0; ++n) state = blur_one(PASS(state, n));
  }
  for (int32_t n = 0; n < TILE; n += 4) {
    const int32_t x = first + n;
    if (x >= 8 && x < args.width - RADIUS - 2) {
      state = blur_four(PASS(state, n));
    } else {
      for (int32_t i = n; i < n + 4; ++i) {
        if (first + i < args.width) state = blur_one(PASS(state, i));
      }
    }
  }
  return state;
}

FUNCTION(void) write_tile(CONTEXT(int32_t first_row, int32_t first, int32_t fields)) {
  const int32_t x = first + local_x();
  for (int32_t field = 0; field < fields; ++field) {
    BUFFER(float)
    rows = BUFFER_AT(float, args.rows, first_field(PASS(group_x())) + int64_t(field) * args.plane);
    UNROLL for (int32_t i = 0; i < SHARES; ++i) {
      const int32_t row = local_y() + i * BLOCK_Y;
      const int32_t y = first_row + row;
      if (x < args.width && y < args.height) rows.data[y * args.row + x] = group.field[field][row][local_x()];
    }
  }
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * TILE_ROWS;
  const int32_t fields = fields_of(PASS(group_x()));
  RowState state;
  UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
    state.last[k] = WIDE_FLOAT(0.0f);
    state.last_but_one[k] = WIDE_FLOAT(0.0f);
  }
  if (fields > 0) {
    TileShare share = read_tile(PASS(first_row, 0));
    for (int32_t first = 0; first < args.width; first += TILE) {
      store_tile(PASS(share, fields));
      group_barrier();
      share = read_tile(PASS(first_row, first + TILE));
      if (local_y() < fields) state = blur_tile(PASS(state, first));
      group_barrier();
      write_tile(PASS(first_row, first, fields));
      group_barrier();
    }
  }
}
