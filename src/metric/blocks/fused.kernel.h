// a * b + c of floats in one rounding, by doubles.
#pragma once

#include "kernel/kernel.h"

// The product is exact. The sum is rounded to odd: a double whose last bit says that something is missing never lies in
// the middle of two floats, so that the second rounding is the only one.
FUNCTION(float) fused(float a, float b, float c) {
  const double product = double(a) * double(b);
  const double addend = double(c);
  const double sum = product + addend;
  const double part = sum - product;
  const double missing = (product - (sum - part)) + (addend - part);
  uint64_t bits = double_bits(sum);
  if (missing != DOUBLE(0.0) && (bits & uint64_t(1u)) == uint64_t(0u)) {
    bits = (missing > DOUBLE(0.0)) == (sum > DOUBLE(0.0)) ? bits + uint64_t(1u) : bits - uint64_t(1u);
  }
  return float(bits_double(bits));
}
