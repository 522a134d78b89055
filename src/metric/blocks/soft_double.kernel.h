// Software doubles, in integers, for devices without doubles or without correctly rounded division.
// Results are rounded as IEEE 754 says (to nearest, ties to even). Positive numbers in double's
// normal range only.
#pragma once

#include "kernel/exact_float.kernel.h"

// mantissa * 2^exponent with 2^52 <= mantissa < 2^53.
struct SoftDouble {
  uint64_t mantissa;
  int32_t exponent;
};

FUNCTION(SoftDouble) make_double(uint64_t mantissa, int32_t exponent) {
  SoftDouble result;
  const bool carry = mantissa >> 53 != uint64_t(0u);  // rounding up gave 2^53
  result.mantissa = carry ? mantissa >> 1 : mantissa;
  result.exponent = carry ? exponent + 1 : exponent;
  return result;
}

// (2^64 high + low) * 2^exponent, not 0.
FUNCTION(SoftDouble) round_to_double(uint64_t high, uint64_t low, int32_t exponent) {
  const bool narrow = high == uint64_t(0u);
  uint64_t top = narrow ? low : high;
  uint64_t rest = narrow ? uint64_t(0u) : low;
  const int32_t shift = leading_zeros_64(top);
  if (shift > 0) {
    top = (top << shift) | (rest >> (64 - shift));
    rest = rest << shift;
  }
  const uint64_t mantissa = top >> 11;
  const uint32_t tail = uint32_t(top) & 2047u;  // in units of 2^-11 of the last place, less than `rest` beyond it
  const bool odd = (uint32_t(mantissa) & 1u) != 0u;
  const bool up = tail > 1024u || (tail == 1024u && (odd || rest != uint64_t(0u)));
  return make_double(mantissa + uint64_t(up ? 1u : 0u), exponent - shift + (narrow ? 11 : 75));
}

// a * b * 2^exponent; neither is 0.
FUNCTION(SoftDouble) multiply_to_double(uint64_t a, uint64_t b, int32_t exponent) {
  const ExactWide product = exact_multiply(a, b);
  return round_to_double(product.high, product.low, exponent);
}

// a / b, a > 0: 53 steps of long division.
FUNCTION(SoftDouble) divide_to_double(uint32_t a, SoftDouble b) {
  const int32_t shift = leading_zeros(a) + 21;
  uint64_t remainder = uint64_t(a) << shift;
  const bool less = remainder < b.mantissa;
  if (less) remainder = remainder << 1;
  uint64_t quotient = uint64_t(0u);
  for (int32_t i = 0; i < 53; ++i) {
    const bool fits = remainder >= b.mantissa;
    quotient = (quotient << 1) | uint64_t(fits ? 1u : 0u);
    remainder = (fits ? remainder - b.mantissa : remainder) << 1;
  }
  // The remainder is doubled: half of the last place is b. No tie: a / b = n + 1/2 would need 54
  // bits of a.
  const bool up = remainder > b.mantissa;
  return make_double(quotient + uint64_t(up ? 1u : 0u), -shift - b.exponent - 52 - (less ? 1 : 0));
}

// x rounded down; x < 2^52.
FUNCTION(uint64_t) floor_of_double(SoftDouble x) {
  return x.exponent <= -64 ? uint64_t(0u) : x.mantissa >> (-x.exponent);
}

// What floor_of_double leaves, in units of 2^x.exponent.
FUNCTION(uint64_t) fraction_of_double(SoftDouble x) {
  return x.exponent <= -53 ? x.mantissa : x.mantissa & ((uint64_t(1u) << (-x.exponent)) - uint64_t(1u));
}

FUNCTION(bool) greater_double(SoftDouble a, SoftDouble b) {
  return a.exponent > b.exponent || (a.exponent == b.exponent && a.mantissa > b.mantissa);
}
