#pragma once

#include "kernel/kernel.h"

struct ScaleDownArgs {
  CONST_BUFFER(uint32_t) from;    // two results of the filter along rows a word
  CONST_BUFFER(int32_t) first;    // [row of the result]: ScaleTaps::first
  CONST_BUFFER(int32_t) weights;  // [tap][row of the result]
  BUFFER(uint32_t) to;            // 4 / SAMPLE_BYTES samples a word
  int64_t from_picture;           // words from picture to picture
  int64_t to_picture;
  int32_t from_row;  // words from row to row
  int32_t to_row;
  int32_t from_height;
  int32_t fours;   // groups of four samples of a row
  int32_t height;  // of the result
  int32_t taps;
  int32_t bit_depth;  // of the source
  int32_t shift;      // bits that the result has more
};
