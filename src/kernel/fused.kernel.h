// a * b + c of floats in one rounding.
//
// Where operations follow one another, WIDE_FLOAT holds floats between them: on devices without a fused operation of
// floats it is a double, so that none is converted on the way. Vulkan does not promise one, but most devices have it:
// there a constant of the pipeline says whether this one does (backend/vulkan/fma_probe), and what is not asked for
// is left out when the driver compiles the kernel.
#pragma once

#include "kernel/kernel.h"

#ifdef exact_fma_float

#define WIDE_FLOAT float
FUNCTION(float) fused(float a, float b, float c) { return exact_fma_float(a, b, c); }
FUNCTION(float) fused_wide(float a, float b, float c) { return exact_fma_float(a, b, c); }

#else

#ifdef ACU_DIALECT_GLSL
#define WIDE_FLOAT float
#else
#define WIDE_FLOAT double
#endif

// In doubles the product is exact. A second rounding of the sum, to a float, differs from a single one only where the
// sum lies in the middle of two floats at the precision of a double, or where the float is subnormal.
FUNCTION(bool) is_rounded_twice(double sum) {
  const uint64_t bits = double_bits(sum);
  const bool is_middle = (uint32_t(bits) & 0x1fffffffu) == 0x10000000u;
  return is_middle || (uint32_t(bits >> 32) & 0x7fffffffu) < 0x38100000u;
}

// product + addend rounded to odd: a double whose last bit says that something is missing never lies in the middle.
FUNCTION(double) odd_sum(double product, double addend) {
  const double sum = product + addend;
  const double part = sum - product;
  const double missing = (product - (sum - part)) + (addend - part);
  uint64_t bits = double_bits(sum);
  if (missing != DOUBLE(0.0) && (bits & uint64_t(1u)) == uint64_t(0u)) {
    bits = (missing > DOUBLE(0.0)) == (sum > DOUBLE(0.0)) ? bits + uint64_t(1u) : bits - uint64_t(1u);
  }
  return bits_double(bits);
}

FUNCTION(float) fused_by_doubles(float a, float b, float c) {
  const double product = double(a) * double(b);
  double sum = product + double(c);
  if (is_rounded_twice(sum)) sum = odd_sum(product, double(c));
  return float(sum);
}

#ifdef ACU_DIALECT_GLSL

layout(constant_id = 0) const bool acu_fuses = false;

FUNCTION(float) fused(float a, float b, float c) {
  float result;
  if (acu_fuses) result = fma(a, b, c);
  else result = fused_by_doubles(a, b, c);
  return result;
}
FUNCTION(float) fused_wide(float a, float b, float c) { return fused(a, b, c); }

#else

FUNCTION(float) fused(float a, float b, float c) { return fused_by_doubles(a, b, c); }

// Veltkamp's split rounds to 24 digits, what is in the middle up or down.
FUNCTION(double) fused_wide(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double spread = sum * DOUBLE(536870913.0);  // 2^29 + 1
  double rounded = spread - (spread - sum);
  if (is_rounded_twice(sum)) rounded = double(float(odd_sum(product, c)));
  return rounded;
}

#endif
#endif
