#pragma once

#include "kernel/kernel.h"

// Strides in samples; pictures follow one another.
struct ToyRowsArgs {
  CONST_BUFFER(float) reference;
  CONST_BUFFER(float) distorted;
  CONST_BUFFER(float) earlier_reference;
  CONST_BUFFER(float) earlier_distorted;
  BUFFER(float) words;  // [pair][row][2][2]: |e| and |e - e1| of a row, zero bits up to 64 after each
  BUFFER(float) error;
  int64_t picture_stride;
  int64_t error_stride;
  int32_t row_stride;
  int32_t error_row;
  int32_t width;
  int32_t height;
  uint32_t inverse;  // of the pairs that share a picture of the reference (reference_of)
  int32_t padding;   // equal arguments have equal bytes
};
