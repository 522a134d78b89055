// Constants and arithmetic of integer VIF (docs/spec/core.md 1) that the reference
// implementation and the kernels share. They differ on purpose in the filters' sums (64 bits here,
// pairs of 32 there), the gain (doubles here, integers there) and the logarithm (a table here,
// quadratics there): tests prove those equal.
#pragma once

#include "kernel/kernel.h"

// Halves of the symmetric filters of scales 0 to 3, the middle tap last. The taps of a filter sum
// to 2^kTapBits.
TABLE(uint32_t, kTaps0, 9) = {489u, 935u, 1640u, 2640u, 3896u, 5274u, 6547u, 7455u, 7784u};
TABLE(uint32_t, kTaps1, 5) = {1244u, 3663u, 7925u, 12590u, 14692u};
TABLE(uint32_t, kTaps2, 3) = {3571u, 16004u, 26386u};
TABLE(uint32_t, kTaps3, 2) = {10904u, 43728u};
CONSTANT(int32_t, kTapBits) = 16;
CONSTANT(uint32_t, kHalfTapSum) = 32768u;

CONSTANT(int32_t, kNoise) = 131072;           // variance 2.0 in Q16
CONSTANT(uint32_t, kNoiseLog) = 2048u * 17u;  // 2048 log2(kNoise)

// What keeps the gain's divisor from 0, the double 65536 * 1.0e-10: kEpsilonMantissa *
// 2^kEpsilonExponent.
CONSTANT(uint64_t, kEpsilonMantissa) = 7737125245533627ul;
CONSTANT(int32_t, kEpsilonExponent) = -70;

CONSTANT(int32_t, kLogParts) = 32;  // of [1, 2), each with its quadratic

// A mean after the filter down a column. The images of scales 1 to 3 have a bit depth of 16.
FUNCTION(uint32_t) rounded_mean(uint32_t sum, int32_t bit_depth) {
  return (sum + (1u << (bit_depth - 1))) >> bit_depth;
}

// By how much second moments are shifted after that filter; they are rounded first.
FUNCTION(int32_t) square_shift(int32_t bit_depth) { return 2 * bit_depth - 16; }

// (a * b + 2^31) >> 32: the product of two means, in Q16.
FUNCTION(uint32_t) mean_product(uint32_t a, uint32_t b) {
  return uint32_t((uint64_t(a) * uint64_t(b) + (uint64_t(1u) << 31)) >> 32);
}

// 2048 log2 of a mantissa 1 + (part + t / 1024) / kLogParts, below 2^32 on the way.
FUNCTION(uint32_t) fitted_log(uint32_t start, uint32_t slope, uint32_t bend, uint32_t t) {
  return (start + ((t * (slope - t * bend)) >> 5)) >> 20;
}
