// The wavelet of a tile: down the columns into shared memory, then along the rows (spec/core.md 2.3).
//
// The tile has TILE_COLUMNS x TILE_ROWS positions; column e is band column first_column_of_tile() + e, and its pair of
// input columns is the two that stand at twice that. Positions at the left and right edge lack a neighbour.
#pragma once

#include "metric/adm/adm_decouple.kernel.h"

// Output i reads 2i - 1 to 2i + 2: -1 reads 1, n reads n - 1. Items of tiles that hang over read something inside.
FUNCTION(int32_t) wavelet_index(int32_t i, int32_t n) {
  const int32_t left = i < 0 ? -i : i;
  const int32_t right = 2 * n - 1 - left;
  return larger(left < right ? left : right, 0);
}

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

#if SCALE <= 1
// Sums of products below 2^31, also where they pass it on the way: samples of 16 bits, centred by `add`; at scale 1
// samples of up to 22929.
FUNCTION(int32_t) low_column(int32_t x0, int32_t x1, int32_t x2, int32_t x3, uint32_t add) {
  return int32_t(uint32_t(ADM_TAP_0) * uint32_t(x0) + uint32_t(ADM_TAP_1) * uint32_t(x1) +
                 uint32_t(ADM_TAP_2) * uint32_t(x2) + uint32_t(ADM_TAP_3) * uint32_t(x3) + add);
}
FUNCTION(int32_t) high_column(int32_t x0, int32_t x1, int32_t x2, int32_t x3, uint32_t add) {
  return int32_t(uint32_t(ADM_TAP_3) * uint32_t(x0) - uint32_t(ADM_TAP_2) * uint32_t(x1) +
                 uint32_t(ADM_TAP_1) * uint32_t(x2) - uint32_t(ADM_TAP_0) * uint32_t(x3) + add);
}
#endif

#if SCALE == 0
#define ROW_ROUNDING 32768
#define ROW_SHIFT 16
#define ROW_SUM int32_t  // 54822 * 32768 at most
#else
#define ROW_SUM int64_t
#if SCALE == 2
#define ROW_ROUNDING 32768
#define ROW_SHIFT 16
#else
#define ROW_ROUNDING 16384
#define ROW_SHIFT 15
#endif
#endif

FUNCTION(int32_t) low_row(int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  return int32_t((ROW_SUM(ADM_TAP_0) * ROW_SUM(x0) + ROW_SUM(ADM_TAP_1) * ROW_SUM(x1) +
                  ROW_SUM(ADM_TAP_2) * ROW_SUM(x2) + ROW_SUM(ADM_TAP_3) * ROW_SUM(x3) + ROW_SUM(ROW_ROUNDING)) >>
                 ROW_SHIFT);
}
FUNCTION(int32_t) high_row(int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  return int32_t((ROW_SUM(ADM_TAP_3) * ROW_SUM(x0) - ROW_SUM(ADM_TAP_2) * ROW_SUM(x1) +
                  ROW_SUM(ADM_TAP_1) * ROW_SUM(x2) - ROW_SUM(ADM_TAP_0) * ROW_SUM(x3) + ROW_SUM(ROW_ROUNDING)) >>
                 ROW_SHIFT);
}

#if SCALE >= 2
FUNCTION(int32_t) low_column(int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  return int32_t((int64_t(ADM_TAP_0) * int64_t(x0) + int64_t(ADM_TAP_1) * int64_t(x1) +
                  int64_t(ADM_TAP_2) * int64_t(x2) + int64_t(ADM_TAP_3) * int64_t(x3) + int64_t(32768)) >>
                 16);
}
FUNCTION(int32_t) high_column(int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  return int32_t((int64_t(ADM_TAP_3) * int64_t(x0) - int64_t(ADM_TAP_2) * int64_t(x1) +
                  int64_t(ADM_TAP_1) * int64_t(x2) - int64_t(ADM_TAP_0) * int64_t(x3) + int64_t(32768)) >>
                 16);
}
#endif

// Stores the filtered column's low and high value at `place` of the plane `odd`.
FUNCTION(void)
filter_column(CONTEXT(int32_t place, int32_t odd, bool with_high, int32_t x0, int32_t x1, int32_t x2, int32_t x3)) {
#if SCALE == 0
  const int32_t depth = SAMPLE_BITS == 8 ? 8 : args.bit_depth;
  const uint32_t middle = 1u << (depth - 1);
  const int32_t low = low_column(x0, x1, x2, x3, middle - uint32_t(ADM_LOW_SUM) * middle) >> depth;
  uint32_t word = uint32_t(low) & 0xffffu;
  if (with_high) word |= uint32_t(high_column(x0, x1, x2, x3, middle) >> depth) << 16;
  group.words[odd * PLANE + place] = word;
#elif SCALE == 1
  group.words[2 * odd * PLANE + place] = uint32_t(low_column(x0, x1, x2, x3, 0u));
  if (with_high) group.words[(2 * odd + 1) * PLANE + place] = uint32_t(high_column(x0, x1, x2, x3, 0u));
#else
  group.words[2 * odd * PLANE + place] = uint32_t(low_column(x0, x1, x2, x3));
  if (with_high) group.words[(2 * odd + 1) * PLANE + place] = uint32_t(high_column(x0, x1, x2, x3));
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
  return low_row(low_at(PASS(1, place - 1)), low_at(PASS(0, place)), low_at(PASS(1, place)),
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
  bands.band[0] = low_row(h0, h1, h2, h3);
  bands.band[1] = high_row(l0, l1, l2, l3);
  bands.band[2] = high_row(h0, h1, h2, h3);
  return bands;
}
