// Blurs down the columns what is blurred along the rows, and adds up the losses of each column in strips of 64 rows
// (docs/spec/beyond.md 3.4, 3.5, 5.3). A workgroup (columns, component, pair) has BLOCK_X columns, and goes down them
// by BLOCK_Y rows: an item of each column and field blurs them all; then an item of each pixel makes its losses; then
// an item of each column and sum adds them up. The next rows are on their way meanwhile.
#include "kernel/divide/float_via_double.kernel.h"
#include "metric/ssimulacra2/ssimulacra2_args.h"
#include "metric/ssimulacra2/ssimulacra2_math.kernel.h"

#define FIELDS 5
#define RADIUS 5
#define STRIP 64
#define MAPS 3
#define CHUNK BLOCK_Y

struct Ssimulacra2ColumnsShared {
  float blurred[FIELDS][CHUNK][BLOCK_X], loss[MAPS][CHUNK][BLOCK_X];
};

KERNEL_USES(Ssimulacra2BlurArgs, Ssimulacra2ColumnsShared)

#include "metric/ssimulacra2/ssimulacra2_fields.kernel.h"

struct ColumnState {
  WIDE_FLOAT last[SSIMULACRA2_SECTIONS];
  WIDE_FLOAT last_but_one[SSIMULACRA2_SECTIONS];
};

// What the blur of the item's field takes in for each row, and the item's pixel of both pictures.
struct ColumnChunk {
  float below[CHUNK], above[CHUNK], reference, distorted;
};

FUNCTION(int32_t) inside(CONTEXT(int32_t y)) { return y < 0 ? 0 : y < args.height ? y : args.height - 1; }

FUNCTION(ColumnChunk) read_chunk(CONTEXT(int32_t x, int32_t first, int32_t fields)) {
  ColumnChunk chunk;
  UNROLL for (int32_t i = 0; i < CHUNK; ++i) {
    chunk.below[i] = 0.0f;
    chunk.above[i] = 0.0f;
  }
  if (local_y() < fields) {
    const int64_t plane = first_field(PASS(group_y())) + int64_t(local_y()) * args.plane;
    CONST_BUFFER(float) rows = CONST_BUFFER_AT(float, args.rows, plane + int64_t(x));
    UNROLL for (int32_t i = 0; i < CHUNK; ++i) {
      chunk.below[i] = rows.data[inside(PASS(first + i + RADIUS - 1)) * args.row];
      chunk.above[i] = rows.data[inside(PASS(first + i - RADIUS - 1)) * args.row];
    }
  }
  const int32_t place = inside(PASS(first + local_y())) * args.row + x;
  CONST_BUFFER(float) reference = reference_plane(PASS(group_y()));
  CONST_BUFFER(float) distorted = distorted_plane(PASS(group_y()));
  chunk.reference = reference.data[place];
  chunk.distorted = distorted.data[place];
  return chunk;
}

// Rows beyond the picture are 0.
FUNCTION(float) fed_at(CONTEXT(ColumnChunk chunk, int32_t first, int32_t i)) {
  const int32_t below = first + i + RADIUS - 1;
  const float fed = below >= 0 && below < args.height ? chunk.below[i] : 0.0f;
  return first + i - RADIUS - 1 >= 0 ? chunk.above[i] + fed : fed;
}

// Blurs the item's field.
FUNCTION(ColumnState) blur_down(CONTEXT(ColumnState before, ColumnChunk chunk, int32_t first)) {
  ColumnState state = before;
  float fed[CHUNK];
  if (first > RADIUS && first + CHUNK + RADIUS <= args.height) {
    UNROLL for (int32_t i = 0; i < CHUNK; ++i) fed[i] = chunk.above[i] + chunk.below[i];
  } else {
    UNROLL for (int32_t i = 0; i < CHUNK; ++i) fed[i] = fed_at(PASS(chunk, first, i));
  }
  UNROLL for (int32_t i = 0; i < CHUNK; ++i) {
    const WIDE_FLOAT wide = WIDE_FLOAT(fed[i]);
    UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
      const WIDE_FLOAT weight = WIDE_FLOAT(-bits_float(kSectionDownBefore[k]));
      const WIDE_FLOAT older = fused_wide(weight, state.last[k], -state.last_but_one[k]);
      state.last_but_one[k] = state.last[k];
      state.last[k] = fused_wide(WIDE_FLOAT(bits_float(kSectionDownInput[k])), wide, older);
    }
    group.blurred[local_y()][i][local_x()] = float(state.last[0]) + (float(state.last[1]) + float(state.last[2]));
  }
  return state;
}

FUNCTION(float) blurred_value(CONTEXT(int32_t field)) { return group.blurred[field][local_y()][local_x()]; }

// Stores the losses of the item's pixel.
FUNCTION(void) store_losses(CONTEXT(ColumnChunk chunk, int32_t fields)) {
  PixelMeans m;
  m.mean1 = blurred_value(PASS(0));
  m.mean2 = blurred_value(PASS(1));
  if (fields == FIELDS) {
    m.square1 = blurred_value(PASS(2));
    m.square2 = blurred_value(PASS(3));
    m.product = blurred_value(PASS(4));
    group.loss[0][local_y()][local_x()] = structure_loss(m);
  }
  const float change = edge_change(chunk.reference, chunk.distorted, m.mean1, m.mean2);
  group.loss[1][local_y()][local_x()] = change > 0.0f ? change : 0.0f;
  group.loss[2][local_y()][local_x()] = change < 0.0f ? -change : 0.0f;
}

FUNCTION(double) loss_at(CONTEXT(int32_t map, int32_t row)) { return double(group.loss[map][row][local_x()]); }

// The item's sum with the losses of the rows from `first` on: as they are, or their 4th powers.
FUNCTION(double) add_losses(CONTEXT(double before, int32_t first)) {
  double sum = before;
  if (local_y() < MAPS) {
    UNROLL for (int32_t i = 0; i < CHUNK; ++i) {
      if (first + i < args.height) sum = sum + loss_at(PASS(local_y(), i));
    }
  } else {
    UNROLL for (int32_t i = 0; i < CHUNK; ++i) {
      const double loss = loss_at(PASS(local_y() - MAPS, i));
      const double square = loss * loss;
      if (first + i < args.height) sum = sum + square * square;
    }
  }
  return sum;
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t column = x < args.width ? x : args.width - 1;
  const int32_t fields = fields_of(PASS(group_y()));
  const bool is_summed =
      local_y() < SSIMULACRA2_SUMS && ((args.needs >> (SSIMULACRA2_SUMS * group_y() + local_y())) & 1) != 0;
  ColumnState state;
  UNROLL for (int32_t k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
    state.last[k] = WIDE_FLOAT(0.0f);
    state.last_but_one[k] = WIDE_FLOAT(0.0f);
  }
  double sum = DOUBLE(0.0);
  if (fields > 0) {
    // What is blurred above the picture begins with its first RADIUS - 1 rows.
    ColumnChunk next = read_chunk(PASS(column, -CHUNK, fields));
    for (int32_t first = -CHUNK; first < args.height; first += CHUNK) {
      const ColumnChunk chunk = next;
      if (local_y() < fields) state = blur_down(PASS(state, chunk, first));
      next = read_chunk(PASS(column, first + CHUNK, fields));
      group_barrier();
      store_losses(PASS(chunk, fields));
      group_barrier();
      const int32_t end = first + CHUNK;
      if (is_summed && first >= 0) {
        sum = add_losses(PASS(sum, first));
        if ((end & (STRIP - 1)) == 0 || end >= args.height) {
          BUFFER(double)
          columns = BUFFER_AT(double, args.columns, first_column(PASS(group_y(), first / STRIP, local_y())));
          if (x < args.width) columns.data[x] = sum;
          sum = DOUBLE(0.0);
        }
      }
    }
  }
}
