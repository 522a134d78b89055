// Division and square root of floats rounded correctly, for kernels that have doubles and arguments of any size: where
// all is far from the ends of the range made of fused operations (newton.kernel.h) or, on devices without
// them, of doubles (float_via_double.kernel.h), else of integers. Brings the division and square root of doubles of
// exact_doubles.kernel.h with it.
#pragma once

#include "kernel/exact_float.kernel.h"

// Defined before the headers below, which define their own where nothing else does.
#ifndef exact_divide_float
#define exact_divide_float(A, B) divide_any_floats(A, B)
#define exact_divide_moderate(A, B) divide_normal_floats(A, B)
#endif
#ifndef exact_sqrt_float
#define exact_sqrt_float(A) root_of_any_float(A)
#define exact_sqrt_moderate(A) root_of_moderate_float(A)
#endif

#include "kernel/divide/double.kernel.h"
#include "kernel/divide/normal_float.kernel.h"

// From 2^-60 up to 2^62.
FUNCTION(bool) is_moderate(float x) { return (float_bits(x) & 0x7fffffffu) - 0x21800000u < 0x3d000000u; }

FUNCTION(float) divide_any_floats(float a, float b) {
  if (is_moderate(a) && is_moderate(b)) return divide_normal_floats(a, b);
  const uint32_t sign = (float_bits(a) ^ float_bits(b)) & 0x80000000u;
  const uint64_t over = uint64_t(float_bits(a) & 0x7fffffffu);
  return bits_float(sign | uint32_t(software_quotient(over, uint64_t(float_bits(b) & 0x7fffffffu), 24)));
}

FUNCTION(float) root_of_any_float(float a) {
  const uint32_t bits = float_bits(a);
  if (is_moderate(a) && a > 0.0f) return root_of_normal_float(a);
  if (bits > 0x80000000u) return bits_float(0x7f800001u);
  return bits_float((bits & 0x80000000u) | uint32_t(software_root(uint64_t(bits & 0x7fffffffu), 24)));
}
