#pragma once

#include "metric/blocks/plane_args.h"

// Devices scale weighted details up by this factor: cubes and their sums are then normal floats where they would be
// subnormal, which a device may take for 0 (float_adm_sums.kernel.h).
#define FLOAT_ADM_SCALE 256

// One scale: its images, those of the next scale, and the sums of the rows of its bands.
struct FloatAdmArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(float) next_reference;
  BUFFER(float) next_distorted;
  BUFFER(float) words;           // [pair][rows of all scales][9][2]: a sum, and zero bits up to 64
  CONST_BUFFER(uint64_t) table;  // of the exact functions
  PlaneArgs plane;
  int64_t next_stride;  // from picture to picture
  double gain_limit;
  int32_t next_row;
  int32_t pair_rows;
  int32_t first_row;      // of the scale among the rows of a pair
  int32_t column_margin;  // columns of a band that are not scored, at either end
  int32_t row_margin;     // likewise; as many as there are rows: none is scored
  int32_t flags;          // 1: there is a next scale; 2: a threshold
  float side_factor;      // contrast sensitivity of h and v, times FLOAT_ADM_SCALE
  float diagonal_factor;
  float p_norm;
  float sample_scale;  // of samples that are integers
};
