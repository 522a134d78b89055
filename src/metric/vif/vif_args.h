#pragma once

#include "metric/blocks/plane_args.h"

// The largest gain that counts and its square, both as doubles: mantissa * 2^exponent, 2^52 <= mantissa < 2^53.
struct VifGainLimit {
  uint64_t mantissa;
  uint64_t square_mantissa;
  int32_t exponent;
  int32_t square_exponent;
};

struct VifArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(uint16_t) next_reference;  // images of the next scale, one after another; scale 3 has none
  BUFFER(uint16_t) next_distorted;
  CONST_BUFFER(uint32_t) log_table;  // vif_math.h
  BUFFER(uint64_t) partials;         // of a frame: num_log, den_log, flat_num, flat_count of all workgroups in turn
  PlaneArgs plane;
  int32_t bit_depth;
  int32_t statistics;  // 0: make only the images of the next scale
  int32_t partials_per_frame;
  int32_t first_partial;
  int32_t next_row_stride;  // pictures of the next scale follow one another without a gap
  int32_t padding;          // equal arguments have equal bytes
  VifGainLimit limit;
};
