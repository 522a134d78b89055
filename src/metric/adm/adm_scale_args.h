#pragma once

#include "kernel/kernel.h"

// Columns and rows at the edges of a workgroup's tile that are there for their neighbours.
#define ADM_MARGIN_COLUMNS 2
#define ADM_MARGIN_ROWS 1

#define ADM_BANDS 3  // h, v, d
#define ADM_TILE_SUMS 9

// One scale. PAIR: two neighbouring samples of a row in one word; strides in pairs.
struct AdmScaleArgs {
  CONST_BUFFER(PAIR) reference;
  CONST_BUFFER(PAIR) distorted;
  BUFFER(LOW) low;            // band a: [frame][picture], read by the next scale; scale 3 leaves it alone
  BUFFER(uint64_t) row_sums;  // [frame][ADM_TILE_SUMS][scored column of tiles][scored row]
  int64_t picture_stride;
  int32_t row_stride;
  uint32_t inverse;  // of the pairs that share a picture of the reference (reference_of)
  int32_t in_width;  // in samples
  int32_t in_height;
  int32_t low_picture_stride;  // in samples
  int32_t low_row_stride;
  int32_t first_column;  // scored
  int32_t end_column;
  int32_t first_row;
  int32_t end_row;
  uint32_t factor;  // contrast sensitivity of h and v
  uint32_t diagonal_factor;
  int32_t cube_shift;  // of h and v
  int32_t den_cube_shift;
  int32_t aim;           // 0: leave it out
  int32_t integer_gain;  // the gain limit, if it is an integer; else 0, and it is
  uint32_t gain_high;    // (gain_high * 2^32 + gain_low) / 2^(32 + gain_shift)
  uint32_t gain_low;
  int32_t gain_shift;
  int32_t bit_depth;
  int32_t row_sums_per_frame;
  int32_t padding;  // equal arguments have equal bytes
};
