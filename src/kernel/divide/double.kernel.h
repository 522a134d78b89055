// Division and square root of doubles rounded correctly, made of sums and products of doubles: where a device does not
// promise them, this takes a fifth of what integers take (math/exact_float.kernel.h), which still have the last word
// where a result lies within 1e-5 of the middle of two doubles. Divisors are in the range of normal floats; all results
// are normal or 0. Brings those of floats with it (float_via_double.kernel.h).
#pragma once

#include "kernel/exact_float.kernel.h"

// The first 26 digits; 27 are left.
FUNCTION(double) upper_digits(double x) { return bits_double(double_bits(x) & 0xfffffffff8000000ul); }

// Whether sum + rest, |rest| at most half of the sum's last place and known to 2^-97 of the sum, may be rounded
// wrongly.
FUNCTION(bool) is_near_middle(double sum, double rest) {
  const uint64_t bits = double_bits(sum);
  const double middle = bits_double(bits & 0x7ff0000000000000ul) * DOUBLE(1.1102230246251565e-16);
  const bool is_power = (bits & 0x000ffffffffffffful) == uint64_t(0u);
  const double size = rest < DOUBLE(0.0) ? -rest : rest;
  return size > middle * DOUBLE(0.99999) || (is_power && rest != DOUBLE(0.0));
}

FUNCTION(double) divide_by_integers(double a, double b) {
  const uint64_t sign = (double_bits(a) ^ double_bits(b)) & EXACT_SIGN;
  return bits_double(sign | software_quotient(double_bits(a) & ~EXACT_SIGN, double_bits(b) & ~EXACT_SIGN, 53));
}

// Two of Newton's steps, then the rest of a first quotient: all products of halves are exact but the last, which has
// 54 digits.
FUNCTION(double) divide_doubles(double a, double b) {
  double inverse = double(estimate_reciprocal(float(b)));
  inverse = inverse + inverse * (DOUBLE(1.0) - b * inverse);
  inverse = inverse + inverse * (DOUBLE(1.0) - b * inverse);
  const double first = a * inverse;
  const double upper = upper_digits(first);
  const double lower = first - upper;
  const double b_upper = upper_digits(b);
  const double b_lower = b - b_upper;
  const double rest = ((a - upper * b_upper) - upper * b_lower) - lower * b_upper - lower * b_lower;
  const double step = rest * inverse;
  const double quotient = first + step;
  if (is_near_middle(quotient, (first - quotient) + step)) return divide_by_integers(a, b);
  return quotient;
}

// Likewise, a from 1 to 4.
FUNCTION(double) root_of_small(double a) {
  double inverse = double(estimate_reciprocal(estimate_square_root(float(a))));
  inverse = inverse + inverse * (DOUBLE(0.5) - DOUBLE(0.5) * (a * inverse * inverse));
  inverse = inverse + inverse * (DOUBLE(0.5) - DOUBLE(0.5) * (a * inverse * inverse));
  const double first = a * inverse;
  const double upper = upper_digits(first);
  const double lower = first - upper;
  const double rest = ((a - upper * upper) - DOUBLE(2.0) * (upper * lower)) - lower * lower;
  const double step = rest * (DOUBLE(0.5) * inverse);
  const double root = first + step;
  if (is_near_middle(root, (first - root) + step)) return bits_double(software_root(double_bits(a), 53));
  return root;
}

// a >= 0.
FUNCTION(double) root_of_double(double a) {
  const uint64_t bits = double_bits(a);
  const uint64_t twos = ((bits - 0x3ff0000000000000ul) >> 53) << 53;  // of a, if even
  const double root = root_of_small(bits_double(bits - twos));
  const uint64_t ones = uint64_t(int64_t(twos) >> 1);
  return a > DOUBLE(0.0) ? bits_double(double_bits(root) + ones) : a;
}

#ifndef exact_divide
#define exact_divide(A, B) divide_doubles(A, B)
#endif
#ifndef exact_sqrt
#define exact_sqrt(A) root_of_double(A)
#endif

#include "kernel/divide/float_via_double.kernel.h"
