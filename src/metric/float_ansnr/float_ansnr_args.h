#pragma once

#include "metric/blocks/plane_args.h"

struct FloatAnsnrArgs {
  CONST_BUFFER(PIXEL) reference;
  CONST_BUFFER(PIXEL) distorted;
  BUFFER(float) words;  // [pair][row][signal, noise][2]: a sum, and zero bits up to 64
  PlaneArgs plane;
  float sample_scale;
};
