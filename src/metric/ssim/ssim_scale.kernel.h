// A scale of what the kernels compare: numbers of the table that ssim_plan.cc makes.
#pragma once

#include "metric/ssim/ssim_rows_args.h"

struct SsimScale {
  int32_t first_group;  // workgroups of the scales before
  int32_t strips;       // of a row of windows
  int32_t width;        // windows
  int32_t height;
  int32_t row_stride;   // of the pictures
  int32_t offset;       // of the scale in a picture with all its scales
  int32_t first_strip;  // sums of strips of the scales before
  int32_t first_word;
  bool all;  // or contrast and structure alone
};

FUNCTION(SsimScale) read_scale(CONST_BUFFER(int32_t) scales, int32_t index) {
  const int32_t i = index * SSIM_SCALE_NUMBERS;
  const SsimScale scale = {scales.data[i],     scales.data[i + 1], scales.data[i + 2],
                           scales.data[i + 3], scales.data[i + 4], scales.data[i + 5],
                           scales.data[i + 6], scales.data[i + 7], scales.data[i + 8] != 0};
  return scale;
}

// Where a scale has a sum of strips of a row: rows follow one another.
FUNCTION(int32_t) strip_at(SsimScale scale, int32_t sum, int32_t strip, int32_t row) {
  return scale.first_strip + (sum * scale.strips + strip) * scale.height + row;
}
