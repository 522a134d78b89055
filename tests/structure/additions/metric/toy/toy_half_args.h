#pragma once

#include "kernel/kernel.h"

// Strides in samples; pictures follow one another.
struct ToyHalfArgs {
  CONST_BUFFER(PIXEL) from;
  BUFFER(float) to;
  int64_t from_picture;
  int64_t to_picture;
  int32_t from_row;
  int32_t to_row;
  int32_t width;  // of the halved picture
  int32_t height;
};
