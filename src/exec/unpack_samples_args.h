#pragma once

#include "kernel/kernel.h"

struct UnpackSamplesArgs {
  CONST_BUFFER(SAMPLE) from;
  BUFFER(SAMPLE) to;
  int32_t from_stride;  // strides in samples
  int32_t to_stride;
  int32_t width;
  int32_t height;
  int32_t step;
  int32_t shift;
};
