// Arithmetic of float_psnr (docs/spec/siblings.md 7.1).
#pragma once

#include "kernel/kernel.h"

// The square of the difference of two samples, rounded to a float. Both are whole numbers: the scale 2^(8 - bits) is
// applied to the sum, which changes no rounding.
FUNCTION(float) float_squared_error(float reference, float distorted) {
  const float error = reference - distorted;
  return error * error;
}
