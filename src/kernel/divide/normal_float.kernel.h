// Division and square root of floats that are far from the ends of the range, rounded correctly and without a branch.
// exact_divide_moderate is for floats from 2^-60 up to 2^62 with such a quotient, or a dividend of 0,
// exact_sqrt_moderate for those from 0 up to 2^62. Brings float_via_double.kernel.h with it.
#pragma once

#include "kernel/kernel.h"

#ifndef exact_divide_moderate
#ifdef exact_divide_float
#define exact_divide_moderate(A, B) exact_divide_float(A, B)
#else
#define exact_divide_moderate(A, B) divide_normal_floats(A, B)
#endif
#endif
#ifndef exact_sqrt_moderate
#ifdef exact_sqrt_float
#define exact_sqrt_moderate(A) exact_sqrt_float(A)
#else
#define exact_sqrt_moderate(A) root_of_moderate_float(A)
#endif
#endif

#include "kernel/divide/newton.kernel.h"

// Tiny floats are made larger by 2^64.
FUNCTION(float) root_of_moderate_float(float a) {
  const bool is_tiny = a < 8.673617379884035e-19f;  // 2^-60
  const float root = root_of_normal_float(is_tiny ? a * 18446744073709551616.0f : a);
  const float positive = is_tiny ? root * 2.3283064365386963e-10f : root;
  return a > 0.0f ? positive : 0.0f;
}
