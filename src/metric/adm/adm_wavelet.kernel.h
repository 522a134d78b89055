// The wavelet of a tile (docs/spec/core.md 2.3): down the columns into shared memory, then along
// the rows.
//
// The tile has TILE_COLUMNS x TILE_ROWS positions; column e is band column first_column_of_tile() + e, and its pair of
// input columns is the two that stand at twice that. Positions at the left and right edge lack a neighbour.
#pragma once

#include "metric/adm/adm_decouple.kernel.h"
#include "metric/adm/adm_math.kernel.h"

FUNCTION(int32_t) item() { return local_y() * BLOCK_X + local_x(); }
FUNCTION(int32_t) first_column_of_tile() {
  return group_x() * (TILE_COLUMNS - 2 * ADM_MARGIN_COLUMNS) - ADM_MARGIN_COLUMNS;
}
FUNCTION(int32_t) first_row_of_tile() { return group_y() * (TILE_ROWS - 2 * ADM_MARGIN_ROWS) - ADM_MARGIN_ROWS; }

// Input rows of a pair of columns, for ROWS output rows.
struct AdmColumns {
  WORD pair[2 * ROWS + 2];
};

FUNCTION(int32_t) sample_of(WORD pair, int32_t odd) {
#if SCALE == 0
  return int32_t((pair >> (odd * SAMPLE_BITS)) & ((1u << SAMPLE_BITS) - 1u));
#elif SCALE == 1
  return int32_t(pair << (16 - 16 * odd)) >> 16;
#else
  return int32_t(uint32_t(pair >> (32 * odd)));
#endif
}

FUNCTION(WORD) make_pair(int32_t even, int32_t odd) {
#if SCALE == 0
  return uint32_t(even) | (uint32_t(odd) << SAMPLE_BITS);
#elif SCALE == 1
  return (uint32_t(even) & 0xffffu) | (uint32_t(odd) << 16);
#else
  return uint64_t(uint32_t(even)) | (uint64_t(uint32_t(odd)) << 32);
#endif
}

FUNCTION(AdmColumns) read_columns(CONTEXT(CONST_BUFFER(PAIR) pictures, int32_t index)) {
  CONST_BUFFER(PAIR) picture = CONST_BUFFER_AT(PAIR, pictures, int64_t(index) * args.picture_stride);
  const int32_t column = 2 * (first_column_of_tile() + item() % TILE_COLUMNS);
  const int32_t even = wavelet_index(column, args.in_width);
  const int32_t odd = wavelet_index(column + 1, args.in_width);
  const bool whole = even == column && odd == column + 1;
  const int32_t first_row = 2 * (first_row_of_tile() + item() / TILE_COLUMNS * ROWS) - 1;
  AdmColumns columns;
  if (whole && first_row >= 0 && first_row + 2 * ROWS + 1 < args.in_height) {
    UNROLL for (int32_t r = 0; r < 2 * ROWS + 2; ++r) {
      columns.pair[r] = WORD(picture.data[(first_row + r) * args.row_stride + column / 2]);
    }
    return columns;
  }
  UNROLL for (int32_t r = 0; r < 2 * ROWS + 2; ++r) {
    const int32_t row = wavelet_index(first_row + r, args.in_height) * args.row_stride;
    columns.pair[r] = make_pair(sample_of(WORD(picture.data[row + even / 2]), even % 2),
                                sample_of(WORD(picture.data[row + odd / 2]), odd % 2));
  }
  return columns;
}

// Stores the filtered column's low and high value at `place` of the plane `odd`.
FUNCTION(void)
filter_column(CONTEXT(int32_t place, int32_t odd, bool with_high, int32_t x0, int32_t x1, int32_t x2, int32_t x3)) {
#if SCALE == 0 && SAMPLE_BITS == 8
  const int32_t depth = 8;
#else
  const int32_t depth = args.bit_depth;
#endif
  const int32_t low = low_column(SCALE, depth, x0, x1, x2, x3);
#if SCALE == 0
  uint32_t word = uint32_t(low) & 0xffffu;
  if (with_high) word |= uint32_t(high_column(SCALE, depth, x0, x1, x2, x3)) << 16;
  group.words[odd * PLANE + place] = word;
#else
  group.words[2 * odd * PLANE + place] = uint32_t(low);
  if (with_high) {
    group.words[(2 * odd + 1) * PLANE + place] = uint32_t(high_column(SCALE, depth, x0, x1, x2, x3));
  }
#endif
}

FUNCTION(void) filter_columns(CONTEXT(AdmColumns columns, bool with_high)) {
  const int32_t place = item() / TILE_COLUMNS * ROWS * STRIDE + item() % TILE_COLUMNS;
  UNROLL for (int32_t odd = 0; odd < 2; ++odd) {
    UNROLL for (int32_t r = 0; r < ROWS; ++r) {
      filter_column(PASS(place + r * STRIDE, odd, with_high, sample_of(columns.pair[2 * r], odd),
                         sample_of(columns.pair[2 * r + 1], odd), sample_of(columns.pair[2 * r + 2], odd),
                         sample_of(columns.pair[2 * r + 3], odd)));
    }
  }
}

FUNCTION(int32_t) low_at(CONTEXT(int32_t odd, int32_t place)) {
#if SCALE == 0
  return int32_t(group.words[odd * PLANE + place] << 16) >> 16;
#else
  return int32_t(group.words[2 * odd * PLANE + place]);
#endif
}
FUNCTION(int32_t) high_at(CONTEXT(int32_t odd, int32_t place)) {
#if SCALE == 0
  return int32_t(group.words[odd * PLANE + place]) >> 16;
#else
  return int32_t(group.words[(2 * odd + 1) * PLANE + place]);
#endif
}

FUNCTION(int32_t) low_band(CONTEXT(int32_t place)) {
  return low_row(SCALE, low_at(PASS(1, place - 1)), low_at(PASS(0, place)), low_at(PASS(1, place)),
                 low_at(PASS(0, place + 1)));
}

FUNCTION(AdmBands) detail_bands(CONTEXT(int32_t place)) {
  const int32_t l0 = low_at(PASS(1, place - 1));
  const int32_t l1 = low_at(PASS(0, place));
  const int32_t l2 = low_at(PASS(1, place));
  const int32_t l3 = low_at(PASS(0, place + 1));
  const int32_t h0 = high_at(PASS(1, place - 1));
  const int32_t h1 = high_at(PASS(0, place));
  const int32_t h2 = high_at(PASS(1, place));
  const int32_t h3 = high_at(PASS(0, place + 1));
  AdmBands bands;
  bands.band[0] = low_row(SCALE, h0, h1, h2, h3);
  bands.band[1] = high_row(SCALE, l0, l1, l2, l3);
  bands.band[2] = high_row(SCALE, h0, h1, h2, h3);
  return bands;
}
