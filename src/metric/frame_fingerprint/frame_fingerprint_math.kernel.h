// Arithmetic of fingerprints of frames (README.md).
#pragma once

#include "kernel/kernel.h"

#define SIGNATURE_COLUMNS 32  // of cells
#define SIGNATURE_ROWS 18
#define SIGNATURE_QUARTERS 64  // columns of quarters of cells

// Row `i` of the `rows` of quarter `quarter` that are read.
FUNCTION(int32_t) fingerprint_row(int32_t quarter, int32_t i, int32_t height, int32_t rows) {
  const int64_t all = int64_t(height) << 16;
  const int64_t step = all / int64_t(2 * SIGNATURE_ROWS * rows);
  return int32_t((step / int64_t(2) + int64_t(quarter) * all / int64_t(2 * SIGNATURE_ROWS) + int64_t(i) * step) >> 16);
}

// A quarter's part of a row in 64ths of samples: `whole` is the sum of the samples that begin in it, `first` the first
// of them, of which `before` belongs to the quarter before, `last` the sample after them, of which it has `after`.
FUNCTION(uint64_t)
quarter_sum(uint32_t whole, uint32_t before, uint32_t first, uint32_t after, uint32_t last) {
  return uint64_t(whole) * uint64_t(SIGNATURE_QUARTERS) - uint64_t(before) * uint64_t(first) +
         uint64_t(after) * uint64_t(last);
}

// In 16 bits; `samples`: in 64ths of a quarter.
FUNCTION(int32_t) quarter_mean(uint64_t sum, int32_t samples, int32_t bit_depth) {
  return int32_t((sum << (16 - bit_depth)) / uint64_t(samples));
}

FUNCTION(uint64_t) detail_bits(int32_t twice) {
  const int32_t detail = (twice + 64) >> 7;
  const int32_t limited = detail > 127 ? 127 : detail < -127 ? -127 : detail;
  return uint64_t(uint32_t(limited) & 255u);
}

// A cell of four quarters, from their means.
FUNCTION(int64_t) cell_word(int32_t upper_left, int32_t upper_right, int32_t lower_left, int32_t lower_right) {
  const uint64_t mean = uint64_t(uint32_t((upper_left + upper_right + lower_left + lower_right) / 4));
  return int64_t(mean | (detail_bits(upper_left - upper_right + lower_left - lower_right) << 16) |
                 (detail_bits(upper_left + upper_right - lower_left - lower_right) << 24) |
                 (detail_bits(upper_left - upper_right - lower_left + lower_right) << 32));
}
