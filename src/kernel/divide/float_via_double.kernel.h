// Division and square root rounded correctly, made of sums and products of doubles, for kernels that have doubles
// anyway: where a device does not promise them, this takes a quarter of what integers take (math/exact_float.kernel.h,
// which knows all arguments). Here divisors and radicands are normal floats, results normal or 0.
#pragma once

#include "kernel/kernel.h"

// 1 / b within 2^-41. The first error is exact: 24 digits times 24.
FUNCTION(double) near_inverse(double b, float estimate) {
  const double inverse = double(estimate);
  return inverse + inverse * (DOUBLE(1.0) - b * inverse);
}

// a / b within 2^-51.
FUNCTION(double) near_quotient(double a, double b, double inverse) {
  const double first = a * inverse;
  return first + (a - first * b) * inverse;
}

// A quotient of floats lies 2^-49 or more from the middle of two floats.
FUNCTION(float) divide_floats(float a, float b) {
  const double divisor = double(b);
  return float(near_quotient(double(a), divisor, near_inverse(divisor, estimate_reciprocal(b))));
}

// a / b with b a float's value. The quotient's 26 upper and 27 lower digits times 24 are exact, so the rest is, too;
// its share is off by 2^-92 of the quotient, which lies 2^-77 or more from the middle of two doubles.
FUNCTION(double) divide_by_float(double a, double b) {
  const double inverse = near_inverse(b, estimate_reciprocal(float(b)));
  const double quotient = near_quotient(a, b, inverse);
  const double upper = bits_double(double_bits(quotient) & 0xfffffffff8000000ul);
  const double rest = (a - upper * b) - (quotient - upper) * b;
  return quotient + rest * inverse;
}

// The root of a float lies 2^-50 or more from the middle of two floats; two steps of Newton's method leave 2^-52.
FUNCTION(float) root_of_float(float a) {
  const float estimate = estimate_square_root(a);
  const double square = double(a);
  const double half_inverse = DOUBLE(0.5) * double(estimate_reciprocal(estimate));
  double root = double(estimate);
  root = root + (square - root * root) * half_inverse;
  root = root + (square - root * root) * half_inverse;
  return a > 0.0f ? float(root) : 0.0f;
}

#ifndef exact_divide_float
#define exact_divide_float(A, B) divide_floats(A, B)
#endif
#ifndef exact_divide
#define exact_divide(A, B) divide_by_float(A, B)
#endif
#ifndef exact_sqrt_float
#define exact_sqrt_float(A) root_of_float(A)
#endif
