// Arithmetic of float_moment (docs/spec/siblings.md 7.2).
#pragma once

#include "kernel/kernel.h"

// The square of a whole sample, rounded to a float. The scale 4^(8 - bits) is applied to the sum, which changes no
// rounding.
FUNCTION(float) float_square(float value) { return value * value; }
