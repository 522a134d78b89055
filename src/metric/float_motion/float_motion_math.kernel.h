// Arithmetic of float_motion (docs/spec/core.md 4.2), which the reference implementation and the
// kernels share.
#pragma once

#include "kernel/kernel.h"

// A halved sample from four: dx and dy are the weights of the right and of the lower ones.
FUNCTION(float)
halved_sample(float dx, float dy, float upper_left, float upper_right, float lower_left, float lower_right) {
  return (1.0f - dy) * (1.0f - dx) * upper_left + (1.0f - dy) * dx * upper_right + dy * (1.0f - dx) * lower_left +
         dy * dx * lower_right;
}

FUNCTION(float) absolute_difference(float a, float b) {
  const float difference = a - b;
  return difference < 0.0f ? -difference : difference;
}
