// Arithmetic of cambi (docs/spec/siblings.md 1), which the reference implementation and kernels share.
#pragma once

#include "kernel/kernel.h"

// A sample as a 10-bit code. Above 10 bits the largest ones become 1024.
FUNCTION(int32_t) ten_bit_code(int32_t value, int32_t bit_depth) {
  if (bit_depth <= 10) return value << (10 - bit_depth);
  return (value + (1 << (bit_depth - 11))) >> (bit_depth - 10);
}

FUNCTION(int32_t) smaller_of(int32_t a, int32_t b) { return a < b ? a : b; }

// The value that occurs at least twice, else the smallest.
FUNCTION(int32_t) mode_of(int32_t a, int32_t b, int32_t c) {
  if (a == b || a == c) return a;
  if (b == c) return b;
  return smaller_of(a, smaller_of(b, c));
}

// The contrast of a pixel's value, which occurs `own` times in its window, with another that occurs `other` times.
// `reciprocal` is 1 / (own + other) (CambiReciprocals). own + other <= 65 * 65, so that own * other < 2^24 is exact and
// the product with the weight is rounded once.
FUNCTION(float) value_contrast(float weight, float own, float other, float reciprocal) {
  return weight * (own * other) * reciprocal;
}
