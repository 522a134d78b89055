#pragma once

#include "metric/blocks/plane_args.h"

// One scale: its images, those of the next scale, and the sums of its rows.
struct FloatVifArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(float) next_reference;
  BUFFER(float) next_distorted;
  BUFFER(float) words;       // [pair][rows of all scales][2]
  CONST_BUFFER(float) taps;  // of this scale, then of the next one; for float_vif_any alone
  PlaneArgs plane;
  int64_t next_stride;  // from picture to picture
  double noise;
  int32_t next_row;
  int32_t pair_rows;
  int32_t first_row;    // of the scale among the rows of a pair
  int32_t radius;       // of the taps
  int32_t next_radius;  // 0: there is no next scale
  int32_t statistics;   // 0: sums are 0, only the next images are made
  float flat_below;     // the least float that is not below the noise
  float flat_factor;
  float gain_limit;
  float sample_scale;  // of samples that are integers
};
