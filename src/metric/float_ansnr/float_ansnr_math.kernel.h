// Arithmetic of float_ansnr (docs/spec/siblings.md 7.3), which the CPU and the kernels share.
#pragma once

#include "kernel/kernel.h"

// Half of the distorted picture's 5x5 filter, as floats: 2 7 12, 7 31 52, 12 52 127 over 571, rows 0 to 2 and their
// first three taps. The rest mirrors them.
TABLE(float, kAnsnrTaps, 9) = {0.003502627f, 0.012259195f, 0.021015761f, 0.012259195f, 0.05429072f,
                               0.0910683f,   0.021015761f, 0.0910683f,   0.22241682f};

// The sample that stands for index `i` of a side of n >= 3: mirrored without the edge sample before the first, with it
// after the last.
FUNCTION(int32_t) ansnr_index(int32_t i, int32_t n) { return i < 0 ? -i : i >= n ? 2 * n - 1 - i : i; }

// A row of the 5x5 filter, the products added from left to right.
FUNCTION(float)
ansnr_filter_row(float outer, float inner, float middle, float p0, float p1, float p2, float p3, float p4) {
  return outer * p0 + inner * p1 + middle * p2 + inner * p3 + outer * p4;
}

// Its rows, from the first to the last.
FUNCTION(float) ansnr_filter_rows(float row0, float row1, float row2, float row3, float row4) {
  return row0 + row1 + row2 + row3 + row4;
}

// The reference picture's filter in one direction, 1 2 1 over 4. It is exact: samples of 16 bits grow by 2 bits in each
// direction.
FUNCTION(float) ansnr_smooth(float before, float here, float after) {
  return 0.25f * before + 0.5f * here + 0.25f * after;
}
