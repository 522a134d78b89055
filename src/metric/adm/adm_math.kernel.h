// Arithmetic of ADM for one sample, to the last shift (docs/spec/core.md 2.3 to 2.9), which the
// reference implementation and the kernels share. `scale`, 0 to 3, and `band`, h v d, are
// constants in kernels. Decoupling differs on purpose: adm_math.h has the definition in doubles,
// adm_decouple.kernel.h integers that a test proves equal.
#pragma once

#include "kernel/kernel.h"

FUNCTION(uint32_t) magnitude_of(int32_t x) { return x < 0 ? 0u - uint32_t(x) : uint32_t(x); }
FUNCTION(int32_t) larger(int32_t a, int32_t b) { return a > b ? a : b; }
FUNCTION(uint64_t) half_of_bit(int32_t shift) { return (uint64_t(1u) << shift) >> 1; }

// --- Wavelet: db2 in Q15. The low filter's taps are 0 to 3; the high filter's are 3, -2, 1, -0, which sum to 0.

CONSTANT(int32_t, kTap0) = 15826;
CONSTANT(int32_t, kTap1) = 27411;
CONSTANT(int32_t, kTap2) = 7345;
CONSTANT(int32_t, kTap3) = -4240;
CONSTANT(int32_t, kLowSum) = 46342;

// Output i reads 2i - 1 to 2i + 2: mirrored without the edge at the start, with the edge at the
// end, so that -1 reads 1 and n reads n - 1. The 3x3 neighbourhood of the masking threshold has
// the same rule. Items of workgroups that hang over the edge get some index inside.
FUNCTION(int32_t) wavelet_index(int32_t i, int32_t n) {
  const int32_t left = i < 0 ? -i : i;
  const int32_t right = 2 * n - 1 - left;
  return larger(left < right ? left : right, 0);
}

// Sums that end below 2^31 and may wrap on the way: of samples of 16 bits, centred by `add`; at
// scale 1 of samples of up to 22929.
FUNCTION(int32_t) low_sum(int32_t x0, int32_t x1, int32_t x2, int32_t x3, uint32_t add) {
  return int32_t(uint32_t(kTap0) * uint32_t(x0) + uint32_t(kTap1) * uint32_t(x1) + uint32_t(kTap2) * uint32_t(x2) +
                 uint32_t(kTap3) * uint32_t(x3) + add);
}
FUNCTION(int32_t) high_sum(int32_t x0, int32_t x1, int32_t x2, int32_t x3, uint32_t add) {
  return int32_t(uint32_t(kTap3) * uint32_t(x0) - uint32_t(kTap2) * uint32_t(x1) + uint32_t(kTap1) * uint32_t(x2) -
                 uint32_t(kTap0) * uint32_t(x3) + add);
}
FUNCTION(int64_t) wide_low_sum(int32_t x0, int32_t x1, int32_t x2, int32_t x3, int32_t add) {
  return int64_t(kTap0) * int64_t(x0) + int64_t(kTap1) * int64_t(x1) + int64_t(kTap2) * int64_t(x2) +
         int64_t(kTap3) * int64_t(x3) + int64_t(add);
}
FUNCTION(int64_t) wide_high_sum(int32_t x0, int32_t x1, int32_t x2, int32_t x3, int32_t add) {
  return int64_t(kTap3) * int64_t(x0) - int64_t(kTap2) * int64_t(x1) + int64_t(kTap1) * int64_t(x2) -
         int64_t(kTap0) * int64_t(x3) + int64_t(add);
}

// Down a column sums are shifted by the bit depth at scale 0, not at all at scale 1.
CONSTANT(int32_t, kColumnShift) = 16;  // at scales 2 and 3
FUNCTION(int32_t) row_shift(int32_t scale) { return (scale & 1) == 0 ? 16 : 15; }

// Samples of scale 0 become differences from the middle of their range.
FUNCTION(int32_t) low_column(int32_t scale, int32_t bit_depth, int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  const uint32_t middle = 1u << (bit_depth - 1);
  if (scale == 0) return low_sum(x0, x1, x2, x3, middle - uint32_t(kLowSum) * middle) >> bit_depth;
  if (scale == 1) return low_sum(x0, x1, x2, x3, 0u);
  return int32_t(wide_low_sum(x0, x1, x2, x3, 1 << (kColumnShift - 1)) >> kColumnShift);
}
FUNCTION(int32_t) high_column(int32_t scale, int32_t bit_depth, int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  if (scale == 0) return high_sum(x0, x1, x2, x3, 1u << (bit_depth - 1)) >> bit_depth;
  if (scale == 1) return high_sum(x0, x1, x2, x3, 0u);
  return int32_t(wide_high_sum(x0, x1, x2, x3, 1 << (kColumnShift - 1)) >> kColumnShift);
}

// Along a row. At scale 0 the sums stay within 54822 * 32768.
FUNCTION(int32_t) low_row(int32_t scale, int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  const int32_t rounding = 1 << (row_shift(scale) - 1);
  if (scale == 0) return low_sum(x0, x1, x2, x3, uint32_t(rounding)) >> row_shift(scale);
  return int32_t(wide_low_sum(x0, x1, x2, x3, rounding) >> row_shift(scale));
}
FUNCTION(int32_t) high_row(int32_t scale, int32_t x0, int32_t x1, int32_t x2, int32_t x3) {
  const int32_t rounding = 1 << (row_shift(scale) - 1);
  if (scale == 0) return high_sum(x0, x1, x2, x3, uint32_t(rounding)) >> row_shift(scale);
  return int32_t(wide_high_sum(x0, x1, x2, x3, rounding) >> row_shift(scale));
}

// --- Decoupling.

CONSTANT(uint32_t, kCosSquaredBits) = 16772106u;  // cos^2 of 1 degree, a float by definition, times 2^24
CONSTANT(uint32_t, kMaxExactMagnitude) = 16384u;  // up to here the restored magnitude is min(|o|, |t|) (README.md)

// --- Contrast sensitivity. C is the weighted band; a sample adds |C| / 30 to the masking thresholds of its neighbours
// and |C| / 15 to its own. At scale 0 all three wrap to 16 bits; at scales 1 to 3 the rounding
// constant of the shares is negative in libvmaf, 2^31 in an int32.

TABLE(uint32_t, kWeightRounding0, 3) = {16384u, 16384u, 65535u};
TABLE(int32_t, kWeightShift0, 3) = {15, 15, 17};
CONSTANT(int32_t, kWeightShift) = 28;

// |C|, where C or -C may wrap: the magnitude is the same. At scale 0 the product of h and v goes
// one bit further left first, so that it wraps to 16 bits as it is shifted right; that of d is
// below 2^31, 65535 * 22930 and the rounding.
FUNCTION(uint32_t) weighted(int32_t scale, int32_t x, uint32_t factor, int32_t band) {
  if (scale == 0) {
    const int32_t left = band == 2 ? 0 : 1;
    const uint32_t product = uint32_t(x) * (factor << left) + (kWeightRounding0[band] << left);
    return magnitude_of(int32_t(product) >> (kWeightShift0[band] + left));
  }
  const uint32_t rounding = (1u << (kWeightShift - 1)) - (x < 0 ? 1u : 0u);
  const uint64_t product = uint64_t(magnitude_of(x)) * uint64_t(factor) + uint64_t(rounding);
  return magnitude_of(int32_t(uint32_t(product >> kWeightShift)));
}

CONSTANT(uint32_t, kNeighbour0) = 4369u;  // Q17, of which 12 bits are shifted off
CONSTANT(uint32_t, kCentre0) = 8738u;
CONSTANT(uint32_t, kNeighbour) = 143165577u;  // Q32
CONSTANT(uint32_t, kCentre) = 286331153u;
CONSTANT(uint32_t, kNegativeRounding) = 0x80000000u;  // is subtracted

// The share of |C|. At scale 0 it is the upper half of 32 bits, so that it wraps to 16.
FUNCTION(int32_t) share_0(uint32_t c, uint32_t weight) { return int32_t((weight << 4) * c + 32768u) >> 16; }
FUNCTION(int32_t) share_32(uint32_t c, uint32_t weight) {
  return int32_t(uint32_t((uint64_t(c) * uint64_t(weight) - uint64_t(kNegativeRounding)) >> 32));
}
FUNCTION(int32_t) neighbour_share(int32_t scale, uint32_t c) {
  return scale == 0 ? share_0(c, kNeighbour0) : share_32(c, kNeighbour);
}
FUNCTION(int32_t) centre_share(int32_t scale, uint32_t c) {
  return scale == 0 ? share_0(c, kCentre0) : share_32(c, kCentre);
}

// --- Masking: the part of a band above the threshold, and its cube.

FUNCTION(int32_t) threshold_shift(int32_t scale, int32_t band) { return scale > 0 ? 0 : (band == 2 ? 12 : 10); }
FUNCTION(int32_t) square_shift(int32_t scale, int32_t band) { return scale == 0 && band < 2 ? 29 : 30; }
// The shift of the masked magnitude's cube; `of_h` is that of h and v.
FUNCTION(int32_t) cube_shift(int32_t scale, int32_t band, int32_t of_h) {
  return scale == 0 && band == 2 ? of_h + 1 : of_h;
}

// What is compared with the threshold; at scale 0 it is not rounded.
FUNCTION(uint32_t) masked_value(int32_t scale, int32_t x, uint32_t factor, int32_t band) {
  return scale == 0 ? magnitude_of(x) * factor : weighted(scale, x, factor, band);
}

// The cube of what of `value` exceeds the threshold; both wrap at 32 bits.
FUNCTION(uint64_t) masked_cube(int32_t scale, uint32_t value, int32_t threshold, int32_t band, int32_t shift) {
  const int32_t difference = int32_t(value - (uint32_t(threshold) << threshold_shift(scale, band)));
  const uint32_t y = difference < 0 ? 0u : uint32_t(difference);
  const int32_t bits = square_shift(scale, band);
  const uint64_t square = (uint64_t(y) * uint64_t(y) + half_of_bit(bits)) >> bits;
  const int64_t cube = int64_t(int32_t(uint32_t(square))) * int64_t(int32_t(y)) + int64_t(half_of_bit(shift));
  return uint64_t(cube >> shift);
}

// --- Denominator: cubes of the reference bands.

FUNCTION(int32_t) reference_square_shift(int32_t scale) { return scale == 2 ? 30 : 31; }

// At scale 0 the cube is whole, and `shift` 0. At scales 1 to 3 the square's rounding constant is
// twice the usual one.
FUNCTION(uint64_t) reference_cube(int32_t scale, uint32_t o, int32_t shift) {
  if (scale == 0) return (uint64_t(o * o) * uint64_t(o)) >> shift;
  const int32_t bits = reference_square_shift(scale);
  const uint64_t square = (uint64_t(o) * uint64_t(o) + (uint64_t(1u) << bits)) >> bits;
  return (square * uint64_t(o) + half_of_bit(shift)) >> shift;
}

// The row is the unit of exactness: its sum is rounded once.
FUNCTION(int64_t) rounded_row(uint64_t sum, int32_t shift) { return int64_t(sum + half_of_bit(shift)) >> shift; }
