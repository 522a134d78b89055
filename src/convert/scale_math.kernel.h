// Arithmetic of the scaler (convert/scaler.h), which the reference implementation and the kernels share. Weights add up
// to 2^14, and in magnitude to less than twice that, so that sums fit into 32 bits. Samples that do not fit their bit
// depth lose the bits above the 16th on the way, as they do in lanes of 16 bits.
#pragma once

#include "kernel/kernel.h"

CONSTANT(int32_t, kWeightBits) = 14;

FUNCTION(int32_t) middle_of(int32_t bit_depth) { return 1 << (bit_depth - 1); }

FUNCTION(int32_t) low_half(uint32_t word) { return int32_t(word << 16) >> 16; }

// ScaleRounding of convert/scale_taps.h.
CONSTANT(int32_t, kRoundAwayFromZero) = 1;
CONSTANT(int32_t, kRoundToWholeSamples) = 2;

// Along rows: sums of weights times samples that are centered, from this on: half of the last bit that stays.
FUNCTION(int32_t) across_start(int32_t bit_depth, int32_t rounding) {
  return rounding == kRoundToWholeSamples ? 1 << (kWeightBits - 1) : middle_of(bit_depth);
}
FUNCTION(int32_t) centered(int32_t value, int32_t bit_depth) {
  return low_half(uint32_t(value - middle_of(bit_depth)));
}
// 15 bits and a sign. A sum of samples that are not centered is below zero where `sum` is below their middle.
FUNCTION(int32_t) across_result(int32_t sum, int32_t bit_depth, int32_t rounding) {
  if (rounding != 0 && sum < across_start(bit_depth, rounding) - (middle_of(bit_depth) << kWeightBits)) sum -= 1;
  if (rounding == kRoundToWholeSamples) sum &= ~((1 << kWeightBits) - 1);
  return low_half(uint32_t(sum >> bit_depth));
}

// Down columns: sums of weights times those, from this on.
FUNCTION(int32_t) down_start(int32_t bit_depth) { return 1 << (2 * kWeightBits - bit_depth - 1); }
FUNCTION(int32_t) down_result(int32_t sum, int32_t bit_depth) {
  const int32_t value = (sum >> (2 * kWeightBits - bit_depth)) + middle_of(bit_depth);
  const int32_t most = 2 * middle_of(bit_depth) - 1;
  return value < 0 ? 0 : value > most ? most : value;
}

// The nearest of `count` samples.
FUNCTION(int32_t) inside(int32_t i, int32_t count) { return i < 0 ? 0 : i < count ? i : count - 1; }
