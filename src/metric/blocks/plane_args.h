#pragma once

#include "kernel/kernel.h"

// Planes of equal size that follow one another on a device. Strides are in samples.
struct PlaneArgs {
  int64_t picture_stride;
  int32_t row_stride;
  int32_t width;
  int32_t height;
  uint32_t inverse;  // of the pairs that share a plane (reference_of)
};
