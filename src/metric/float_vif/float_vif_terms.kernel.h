// What a pixel adds to the sums of its scale, with the bits of terms_of (float_vif_math.kernel.h), and the sums of
// rows. The kernel's shared memory has `float terms[2][ROWS][TERM_STRIDE]` for the columns of a tile, and what of the
// noise is the same for all pixels: an AMD wave has no scalar registers left for it.
#pragma once

#include "metric/float_vif/float_vif_math.kernel.h"

// 1 + a / b as a float, where a is not negative and b is positive: the quotient and the sum are rounded as doubles
// before. Theirs and this sum differ by less than 16 of a double's last places, which matters next to the middle of two
// floats.
FUNCTION(float) one_plus_quotient(double a, double b) {
  const double sum = DOUBLE(1.0) + near_quotient(a, b, near_inverse(b, estimate_reciprocal(float(b))));
  const uint32_t tail = uint32_t(double_bits(sum)) & 0x1fffffffu;
  if (tail - 0x0ffffff0u <= 0x20u) {
    return float(DOUBLE(1.0) + bits_double(software_quotient(double_bits(a), double_bits(b), 53)));
  }
  return float(sum);
}

// By one item, before all others make terms.
FUNCTION(void) share_noise(CONTEXT()) {
  const uint64_t noise = double_bits(args.noise);
  const bool is_power = noise != uint64_t(0u) && (noise & 0x000ffffffffffffful) == uint64_t(0u);
  group.noise = args.noise;
  group.gain_limit = args.gain_limit;
  group.inverse_noise = is_power ? float(bits_double(0x7fe0000000000000ul - noise)) : 0.0f;
}

// 1 + variance / noise, for a noise of 0, too: infinity, or no number for 0 / 0. Where the noise is a power of
// two, the sum is exact as a double, so that one rounding to float does.
FUNCTION(float) signal_of(CONTEXT(float variance)) {
  if (group.inverse_noise > 0.0f) return 1.0f + variance * group.inverse_noise;
  if (group.noise > DOUBLE(0.0)) return one_plus_quotient(double(variance), group.noise);
  return bits_float(variance > 0.0f ? 0x7f800000u : 0x7fc00000u);
}

FUNCTION(FloatVifTerms) pixel_terms(CONTEXT(FloatVifMoments m)) {
  float s1 = m.square1 - m.mean1 * m.mean1;
  float s2 = m.square2 - m.mean2 * m.mean2;
  s1 = s1 < kVifEpsilon ? 0.0f : s1;
  s2 = s2 > 0.0f ? s2 : 0.0f;
  FloatVifTerms terms;
  terms.num = 1.0f - s2 * args.flat_factor;
  terms.den = 1.0f;
  if (s1 < args.flat_below) return terms;
  terms.num = 0.0f;
  terms.den = near_log2(signal_of(PASS(s1)));
  const float s12 = m.product - m.mean1 * m.mean2;
  if (s12 > 0.0f && s1 > 0.0f && s2 >= kVifEpsilon) {
    const float whole_gain = exact_divide_float(s12, s1 + kVifEpsilon);
    const float rest = s2 - whole_gain * s12;
    const float gain = whole_gain < group.gain_limit ? whole_gain : group.gain_limit;
    terms.num = near_log2(
        one_plus_quotient(double(gain * gain * s1), double(rest > kVifEpsilon ? rest : kVifEpsilon) + group.noise));
  }
  return terms;
}

// Columns beyond the edge, which come from mirrored pixels, are 0, which leaves a sum as it is.
FUNCTION(void) share_terms(CONTEXT(int32_t row, int32_t x, bool is_inside, FloatVifMoments moments)) {
  const FloatVifTerms terms = pixel_terms(PASS(moments));
  group.terms[0][row][x] = is_inside ? terms.num : 0.0f;
  group.terms[1][row][x] = is_inside ? terms.den : 0.0f;
}

// A running sum of floats cannot be split: 2 * ROWS items add up the tile's rows, each of one kind.
FUNCTION(float) add_terms(CONTEXT(float sum, int32_t columns)) {
  const int32_t kind = local_x() / ROWS;
  const int32_t row = local_x() - kind * ROWS;
  float running = sum;
  for (int32_t x = 0; x < columns; x += 8) {
    float values[8];
    UNROLL for (int32_t k = 0; k < 8; ++k) values[k] = group.terms[kind][row][x + k];
    UNROLL for (int32_t k = 0; k < 8; ++k) running = running + values[k];
  }
  return running;
}

FUNCTION(void) store_sum(CONTEXT(float sum)) {
  const int32_t kind = local_x() / ROWS;
  const int32_t y = group_y() * ROWS + local_x() - kind * ROWS;
  if (local_x() < 2 * ROWS && y < args.plane.height) {
    const int32_t row = group_z() * args.pair_rows + args.first_row + y;
    args.words.data[2 * row + kind] = args.statistics != 0 ? sum : 0.0f;
  }
}
