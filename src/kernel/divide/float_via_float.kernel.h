// Division of floats rounded correctly, made of sums and products of floats, for kernels that run on devices without
// doubles: where a device does not promise it, this takes a quarter of what integers take (math/exact_float.kernel.h).
// Those still have the last word where the quotient lies within 1/256 of the way from the middle of two floats, and for
// arguments far from 1.
#pragma once

#include "kernel/exact_float.kernel.h"

FUNCTION(float) divide_floats_by_integers(float a, float b) {
  const uint32_t sign = (float_bits(a) ^ float_bits(b)) & 0x80000000u;
  const uint64_t over = uint64_t(float_bits(a) & 0x7fffffffu);
  return bits_float(sign | uint32_t(software_quotient(over, uint64_t(float_bits(b) & 0x7fffffffu), 24)));
}

// From 2^-40 up to 2^41: nothing that is made of two such numbers on the way to their quotient is subnormal.
FUNCTION(bool) is_near_1(float x) { return (float_bits(x) & 0x7fffffffu) - 0x2b800000u < 0x28800000u; }

// The first 12 digits; as many are left.
FUNCTION(float) upper_half(float x) { return bits_float(float_bits(x) & 0xfffff000u); }

// Two times 12 digits of the quotient, whose products with halves of b are exact, and what is left of it: all of that
// is off by 1.5 * 2^-35 of the quotient, 3 / 1024 of the way from a float to the middle of two.
FUNCTION(float) divide_by_floats(float a, float b) {
  if (a == 0.0f && is_near_1(b)) return a * b;
  if (!is_near_1(a) || !is_near_1(b)) return divide_floats_by_integers(a, b);
  const float inverse = estimate_reciprocal(b);
  const float b_upper = upper_half(b);
  const float b_lower = b - b_upper;
  const float first = upper_half(a * inverse);
  const float rest = (a - first * b_upper) - first * b_lower;
  const float second = upper_half(rest * inverse);
  const float last = ((rest - second * b_upper) - second * b_lower) * inverse;
  const float lower = second + last;
  const float quotient = first + lower;
  const float beyond = lower - (quotient - first);
  const float middle = bits_float(float_bits(quotient) & 0x7f800000u) * 5.9604644775390625e-08f;  // 2^-24
  const float size = beyond < 0.0f ? -beyond : beyond;
  const bool is_power = (float_bits(quotient) & 0x007fffffu) == 0u;
  if (size > middle * 0.99609375f || (is_power && beyond != 0.0f)) return divide_floats_by_integers(a, b);
  return quotient;
}

#ifndef exact_divide_float
#define exact_divide_float(A, B) divide_by_floats(A, B)
#endif
