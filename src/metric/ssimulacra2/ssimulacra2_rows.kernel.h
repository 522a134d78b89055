// Blurs along the rows: both pictures, their squares and their product, which have one order of work
// (docs/spec/beyond.md 3.4). A workgroup goes along BLOCK_X rows by tiles; of a row an item of its own blurs each
// field. All items read tiles and write results, whole lines of memory at a time.
#include "kernel/exact_floats.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/ssimulacra2/ssimulacra2_args.h"
#include "metric/ssimulacra2/ssimulacra2_math.kernel.h"

#define FIELDS 5
#define RADIUS 5
#define TILE_ROWS BLOCK_X
#define TILE 16                   // columns of results, a multiple of the four that are made at a time
#define BEFORE (2 * RADIUS)       // columns that a tile reads before them
#define READ (TILE + BEFORE + 4)  // and all that it reads

struct Ssimulacra2RowsShared {
  float color[2][TILE_ROWS][READ + 1];
  float blurred[FIELDS][TILE_ROWS][TILE + 1];
};

KERNEL_USES(Ssimulacra2BlurArgs, Ssimulacra2RowsShared)

struct RowState {
  float last[SSIMULACRA2_SECTIONS];
  float last_but_one[SSIMULACRA2_SECTIONS];
};

FUNCTION(void) load_tile(CONTEXT(int32_t first_row, int32_t first)) {
  CONST_BUFFER(float)
  reference = CONST_BUFFER_AT(float, args.reference, int64_t(reference_of(group_z(), args.inverse)) * args.picture);
  CONST_BUFFER(float) distorted = CONST_BUFFER_AT(float, args.distorted, int64_t(group_z()) * args.picture);
  const int32_t x = first - BEFORE + local_x();
  for (int32_t r = local_y(); r < TILE_ROWS; r += BLOCK_Y) {
    const int32_t y = first_row + r;
    float of_reference = 0.0f;
    float of_distorted = 0.0f;
    if (x >= 0 && x < args.width && y < args.height) {
      of_reference = reference.data[y * args.row + x];
      of_distorted = distorted.data[y * args.row + x];
    }
    if (local_x() < READ) {
      group.color[0][r][local_x()] = of_reference;
      group.color[1][r][local_x()] = of_distorted;
    }
  }
}

// Of the item's field and row; `place`: in the tile that is read.
FUNCTION(float) field_at(CONTEXT(int32_t place)) {
  const float p = group.color[0][local_x()][place];
  const float q = group.color[1][local_x()][place];
  const int32_t field = local_y();
  const float one = field == 1 || field == 3 ? q : p;
  const float other = field == 2 ? p : q;
  return field < 2 ? one : one * other;
}

FUNCTION(float) input_at(CONTEXT(int32_t place)) {
  return field_at(PASS(place - RADIUS - 1)) + field_at(PASS(place + RADIUS - 1));
}

// The result in column `n` of a tile, which may lie before it.
FUNCTION(RowState) blur_one(CONTEXT(RowState before, int32_t n)) {
  RowState state = before;
  // The columns before the picture are 0, and lie before what was read.
  const int32_t place = n + BEFORE;
  const float fed = n < 0 ? field_at(PASS(place + RADIUS - 1)) : input_at(PASS(place));
  UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
    const float older = fused(state.last_but_one[k], section_before_that(k, 0), fed * section_input(k, 0));
    state.last_but_one[k] = state.last[k];
    state.last[k] = fused(state.last[k], section_before(k, 0), older);
  }
  if (n >= 0) group.blurred[local_y()][local_x()][n] = state.last[0] + (state.last[1] + state.last[2]);
  return state;
}

FUNCTION(RowState) blur_four(CONTEXT(RowState before, int32_t n)) {
  RowState state = before;
  float inputs[4];
  float results[SSIMULACRA2_SECTIONS][4];
  UNROLL for (int32_t i = 0; i < 4; ++i) inputs[i] = input_at(PASS(n + BEFORE + i));
  UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
    UNROLL for (int32_t i = 0; i < 4; ++i) {
      float sum = inputs[0] * section_input(k, i);
      UNROLL for (int32_t j = 1; j < 4; ++j) {
        if (j <= i) sum = fused(inputs[j], section_input(k, i - (j <= i ? j : i)), sum);
      }
      sum = fused(state.last_but_one[k], section_before_that(k, i), sum);
      results[k][i] = fused(state.last[k], section_before(k, i), sum);
    }
    state.last_but_one[k] = results[k][2];
    state.last[k] = results[k][3];
  }
  UNROLL for (int32_t i = 0; i < 4; ++i) {
    group.blurred[local_y()][local_x()][n + i] = results[0][i] + (results[1][i] + results[2][i]);
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

FUNCTION(void) write_tile(CONTEXT(int32_t first_row, int32_t first)) {
  const int32_t column = local_x() & (TILE - 1);
  for (int32_t field = 0; field < args.fields; ++field) {
    BUFFER(float)
    rows = BUFFER_AT(float, args.rows, int64_t(group_z()) * args.pair + int64_t(field) * args.field);
    for (int32_t r = local_x() / TILE + local_y() * (BLOCK_X / TILE); r < TILE_ROWS; r += BLOCK_Y * (BLOCK_X / TILE)) {
      const int32_t y = first_row + r;
      if (first + column < args.width && y < args.height) {
        rows.data[y * args.row + first + column] = group.blurred[field][r][column];
      }
    }
  }
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * TILE_ROWS;
  RowState state;
  UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
    state.last[k] = 0.0f;
    state.last_but_one[k] = 0.0f;
  }
  for (int32_t first = 0; first < args.width; first += TILE) {
    load_tile(PASS(first_row, first));
    group_barrier();
    if (local_y() < args.fields) state = blur_tile(PASS(state, first));
    group_barrier();
    write_tile(PASS(first_row, first));
  }
}
