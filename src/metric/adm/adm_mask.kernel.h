// Contrast sensitivity, masking and cubes of one sample (spec/core.md 2.7 to 2.9). adm_math.h has the same for the CPU.
// SCALE: 0 to 3. Tables are of bands h, v, d.
#pragma once

#include "metric/adm/adm_decouple.kernel.h"

#if SCALE == 0
// The upper halves of 32-bit numbers: shifts left first, so that a value wraps to 16 bits as it is shifted right. Those
// of d are below 2^31 before: 65535 * 22930 and the rounding.
TABLE(uint32_t, WEIGHT_ROUNDING, 3) = {32768u, 32768u, 65535u};
TABLE(int32_t, WEIGHT_LEFT, 3) = {1, 1, 0};
TABLE(int32_t, WEIGHT_RIGHT, 3) = {16, 16, 17};
TABLE(int32_t, THRESHOLD_SHIFT, 3) = {10, 10, 12};
TABLE(int32_t, SQUARE_SHIFT, 3) = {29, 29, 30};
TABLE(int32_t, CUBE_SHIFT_MORE, 3) = {0, 0, 1};  // than that of h

// |C|
FUNCTION(uint32_t) weighted(int32_t x, uint32_t factor, int32_t band) {
  const uint32_t product = uint32_t(x) * (factor << WEIGHT_LEFT[band]) + WEIGHT_ROUNDING[band];
  return magnitude_of(int32_t(product) >> WEIGHT_RIGHT[band]);
}
// 4369 and 8738 in Q12.
FUNCTION(int32_t) neighbour_share(uint32_t c) { return int32_t(69904u * c + 32768u) >> 16; }
FUNCTION(int32_t) centre_share(uint32_t c) { return int32_t(139808u * c + 32768u) >> 16; }
#else
TABLE(int32_t, WEIGHT_SHIFT, 3) = {28, 28, 28};
TABLE(int32_t, THRESHOLD_SHIFT, 3) = {0, 0, 0};
TABLE(int32_t, SQUARE_SHIFT, 3) = {30, 30, 30};
TABLE(int32_t, CUBE_SHIFT_MORE, 3) = {0, 0, 0};

// |C|. Whether C or -C wraps to 32 bits, the magnitude is the same.
FUNCTION(uint32_t) weighted(int32_t x, uint32_t factor, int32_t band) {
  const uint32_t rounding = (1u << (WEIGHT_SHIFT[band] - 1)) - (x < 0 ? 1u : 0u);
  const uint64_t product = uint64_t(magnitude_of(x)) * uint64_t(factor) + uint64_t(rounding);
  return magnitude_of(int32_t(uint32_t(product >> WEIGHT_SHIFT[band])));
}
// The rounding constant is -2^31.
FUNCTION(int32_t) weighted_share(uint32_t c, uint32_t weight) {
  return int32_t(uint32_t((uint64_t(c) * uint64_t(weight) - uint64_t(0x80000000u)) >> 32));
}
FUNCTION(int32_t) neighbour_share(uint32_t c) { return weighted_share(c, 143165577u); }
FUNCTION(int32_t) centre_share(uint32_t c) { return weighted_share(c, 286331153u); }
#endif

FUNCTION(uint64_t) rounding_of(int32_t shift) { return (uint64_t(1u) << shift) >> 1; }

// The cube of what of `value` exceeds the threshold; both wrap at 32 bits. `cube_shift`: of h.
FUNCTION(uint64_t) masked_cube(uint32_t value, int32_t threshold, int32_t band, int32_t cube_shift) {
  const int32_t difference = int32_t(value - (uint32_t(threshold) << THRESHOLD_SHIFT[band]));
  const uint32_t y = difference < 0 ? 0u : uint32_t(difference);
  const uint64_t square = (uint64_t(y) * uint64_t(y) + rounding_of(SQUARE_SHIFT[band])) >> SQUARE_SHIFT[band];
  const int32_t shift = cube_shift + CUBE_SHIFT_MORE[band];
  const int64_t cube = int64_t(int32_t(uint32_t(square))) * int64_t(int32_t(y)) + int64_t(rounding_of(shift));
  return uint64_t(cube >> shift);
}

// Of the denominator. At scales 1 to 3 the square's rounding constant is twice the usual one.
FUNCTION(uint64_t) reference_cube(uint32_t o, int32_t cube_shift) {
#if SCALE == 0
  return (uint64_t(o * o) * uint64_t(o)) >> cube_shift;  // by 0
#else
  const int32_t square_shift = SCALE == 2 ? 30 : 31;
  const uint64_t square = (uint64_t(o) * uint64_t(o) + (uint64_t(1u) << square_shift)) >> square_shift;
  return (square * uint64_t(o) + rounding_of(cube_shift)) >> cube_shift;
#endif
}
