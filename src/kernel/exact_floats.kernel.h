// Division and square root of floats rounded correctly, for kernels that have doubles and arguments of any size: made
// of doubles (exact_by_doubles.kernel.h) where all is far from the ends of the range, else of integers. Brings the
// division and square root of doubles of exact_doubles.kernel.h with it.
#pragma once

#include "kernel/exact_float.kernel.h"

// Before exact_by_doubles.kernel.h has its own.
#ifndef exact_divide_float
#define exact_divide_float(A, B) divide_any_floats(A, B)
#endif
#ifndef exact_sqrt_float
#define exact_sqrt_float(A) root_of_any_float(A)
#endif

#include "kernel/exact_doubles.kernel.h"

// From 2^-60 up to 2^62.
FUNCTION(bool) is_moderate(float x) { return (float_bits(x) & 0x7fffffffu) - 0x21800000u < 0x3d000000u; }

FUNCTION(float) divide_any_floats(float a, float b) {
  if (is_moderate(a) && is_moderate(b)) return divide_floats(a, b);
  const uint32_t sign = (float_bits(a) ^ float_bits(b)) & 0x80000000u;
  const uint64_t over = uint64_t(float_bits(a) & 0x7fffffffu);
  return bits_float(sign | uint32_t(software_quotient(over, uint64_t(float_bits(b) & 0x7fffffffu), 24)));
}

FUNCTION(float) root_of_any_float(float a) {
  const uint32_t bits = float_bits(a);
  if (is_moderate(a) && a > 0.0f) return root_of_float(a);
  if (bits > 0x80000000u) return bits_float(0x7f800001u);
  return bits_float((bits & 0x80000000u) | uint32_t(software_root(uint64_t(bits & 0x7fffffffu), 24)));
}
