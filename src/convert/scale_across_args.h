#pragma once

#include "kernel/kernel.h"

struct ScaleAcrossArgs {
  CONST_BUFFER(SAMPLE) from;
  CONST_BUFFER(int32_t) first;    // [column of the result]: ScaleTaps::first
  CONST_BUFFER(int32_t) weights;  // [tap][column of the result]
  BUFFER(int16_t) to;
  int64_t from_picture;  // samples from picture to picture
  int64_t to_picture;
  int32_t from_row;  // samples from row to row
  int32_t to_row;
  int32_t from_width;
  int32_t height;   // rows of both
  int32_t columns;  // of the result, with some more
  int32_t taps;
  int32_t bit_depth;
  int32_t rounding;  // ScaleRounding
};
