// Arithmetic of motion (docs/spec/core.md 3.3), which the reference implementation and the kernel
// share.
#pragma once

#include "kernel/kernel.h"

// The symmetric low-pass filter: its five taps sum to 2^kTapBits.
CONSTANT(int32_t, kOuterTap) = 3571;
CONSTANT(int32_t, kInnerTap) = 16004;
CONSTANT(int32_t, kMiddleTap) = 26386;
CONSTANT(int32_t, kTapBits) = 16;

// Five neighbours, each up to 65535 in magnitude: the sum of products needs 33 bits. (Samples
// beyond the bit depth, where a clip has no history yet, need 39.)
FUNCTION(int64_t) lowpass(int32_t m2, int32_t m1, int32_t middle, int32_t p1, int32_t p2) {
  return int64_t(kOuterTap) * int64_t(m2 + p2) + int64_t(kInnerTap) * int64_t(m1 + p1) +
         int64_t(kMiddleTap) * int64_t(middle);
}

// A sum down a column is shifted by the bit depth, a sum along a row by kTapBits.
FUNCTION(int32_t) round_shift(int64_t sum, int32_t shift) {
  return int32_t((sum + (int64_t(1) << (shift - 1))) >> shift);
}
