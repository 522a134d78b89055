#pragma once

#include "kernel/kernel.h"

// Halves of the symmetric filters of scales 0 to 3, the middle tap last (vif_plan.cc compares them with vif_math.h).
#define VIF_TAPS_0 489u, 935u, 1640u, 2640u, 3896u, 5274u, 6547u, 7455u, 7784u
#define VIF_TAPS_1 1244u, 3663u, 7925u, 12590u, 14692u
#define VIF_TAPS_2 3571u, 16004u, 26386u
#define VIF_TAPS_3 10904u, 43728u

#define VIF_NOISE 131072  // variance 2.0 in Q16

// What keeps the gain's divisor from 0: the double 65536 * 1.0e-10 is this times 2^-70.
#define VIF_EPSILON_MANTISSA 7737125245533627ul
#define VIF_EPSILON_EXPONENT (-70)

#define VIF_LOG_PARTS 32  // of [1, 2) in the table of logarithms

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
  CONST_BUFFER(uint32_t) log_table;  // vif_log_fit.h
  BUFFER(uint64_t) partials;         // of a frame: num_log, den_log, flat_num, flat_count of all workgroups in turn
  int64_t picture_stride;            // strides in samples
  int32_t row_stride;
  int32_t width;
  int32_t height;
  int32_t videos;  // pairs that share a picture of the reference
  int32_t bit_depth;
  int32_t statistics;  // 0: make only the images of the next scale
  int32_t partials_per_frame;
  int32_t first_partial;
  int32_t next_row_stride;  // pictures of the next scale follow one another without a gap
  VifGainLimit limit;
};
