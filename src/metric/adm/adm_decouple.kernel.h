// How much of a distorted band the reference explains (docs/spec/core.md 2.5), in exact integers:
// a device needs neither doubles nor correctly rounded floats. SCALE: 0 to 3.
#pragma once

#include "metric/adm/adm_math.kernel.h"

struct AdmBands {
  int32_t band[3];  // h, v, d
};

// A gain limit of 1 to 100: `integer`, or if that is 0, (high * 2^32 + low) / 2^(32 + shift),
// where high has 21 bits.
struct AdmGain {
  uint32_t integer;
  uint32_t high;
  uint32_t low;
  int32_t shift;
};

FUNCTION(uint32_t) smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

FUNCTION(int32_t) bit_length(uint64_t x) {
  const uint32_t high = uint32_t(x >> 32);
  return high != 0u ? 64 - leading_zeros(high) : 32 - leading_zeros(uint32_t(x));
}

// A number as a float holds it: mantissa * 2^exponent, with a mantissa of 24 bits.
struct AdmFloat {
  uint32_t mantissa;
  int32_t exponent;
};

// Rounds to nearest, ties to even; x > 0.
FUNCTION(AdmFloat) round_to_float(uint64_t x) {
  AdmFloat rounded;
  rounded.exponent = bit_length(x) - 24;
  if (rounded.exponent <= 0) {
    rounded.mantissa = uint32_t(x) << (-rounded.exponent);
    return rounded;
  }
  const uint64_t tie = uint64_t(1u) << (rounded.exponent - 1);
  const uint64_t rest = x & (tie + tie - uint64_t(1u));
  rounded.mantissa = uint32_t(x >> rounded.exponent);
  if (rest > tie || (rest == tie && (rounded.mantissa & 1u) == 1u)) rounded.mantissa += 1u;
  if (rounded.mantissa == 16777216u) {
    rounded.mantissa = 8388608u;
    rounded.exponent += 1;
  }
  return rounded;
}

// d * d >= (cos^2 * o) * t as doubles, of the floats next to d, o, t > 0. The left side and cos^2
// * o are exact. The right side rounds to the left one or below if it exceeds it by half a unit of
// its last place at most; a tie goes to the left side, whose last bits are 0.
FUNCTION(bool) exactly_within_angle(uint64_t dot, uint64_t o_square, uint64_t t_square) {
  const AdmFloat d = round_to_float(dot);
  const AdmFloat o = round_to_float(o_square);
  const AdmFloat t = round_to_float(t_square);
  const uint64_t square = uint64_t(d.mantissa) * uint64_t(d.mantissa);
  const int32_t spare = 54 - bit_length(square);
  const uint64_t left = (square << spare) + uint64_t(1u);  // with the half unit: 2^53 to 2^54
  const uint64_t product = uint64_t(o.mantissa) * uint64_t(t.mantissa);
  const uint64_t low = (product & uint64_t(16777215u)) * uint64_t(kCosSquaredBits);
  const uint64_t right =
      (product >> 24) * uint64_t(kCosSquaredBits) + (low >> 24);  // times 2^24, and the rest: below 2^72
  const uint64_t rest = low & uint64_t(16777215u);
  const int32_t scale = 2 * d.exponent - spare - (o.exponent + t.exponent - 24);  // of the left side
  if (scale >= 24) return true;
  if (scale < 15) return false;
  return (right << (24 - scale)) + ((rest + (uint64_t(1u) << scale) - uint64_t(1u)) >> scale) <= left;
}

FUNCTION(bool) exactly_aligned(AdmBands o, AdmBands t) {
  const int64_t oh = int64_t(o.band[0]);
  const int64_t ov = int64_t(o.band[1]);
  const int64_t th = int64_t(t.band[0]);
  const int64_t tv = int64_t(t.band[1]);
  const int64_t dot = oh * th + ov * tv;
  const uint64_t o_square = uint64_t(oh * oh + ov * ov);
  const uint64_t t_square = uint64_t(th * th + tv * tv);
  if (o_square == uint64_t(0u) || t_square == uint64_t(0u)) return true;
  return dot > int64_t(0) && exactly_within_angle(uint64_t(dot), o_square, t_square);
}

#define ALIGNED_NO 0
#define ALIGNED_YES 1
#define ALIGNED_MAYBE 2

// One degree is where |o x t| = o.t * tan, since o.t^2 + |o x t|^2 = o^2 t^2. The definition's
// floats move that by 2^-22 / (1 - cos^2) of |o x t|^2, 2^-11.3 of |o x t|; the floats here by
// less than 2^-15, wherever a device rounds to. Within 2^-11 they leave the decision to integers.
FUNCTION(int32_t) test_angle(AdmBands o, AdmBands t) {
  float oh = float(o.band[0]);
  float ov = float(o.band[1]);
  float th = float(t.band[0]);
  float tv = float(t.band[1]);
  float dot = oh * th + ov * tv;
  float cross = oh * tv - ov * th;
  float surely = dot * 0.017446348f;  // tan * (1 - 2^-11)
  float hardly = dot * 0.017463394f;
  const float sine = cross < 0.0f ? -cross : cross;
  if (sine <= surely) return ALIGNED_YES;
  return sine <= hardly ? ALIGNED_MAYBE : ALIGNED_NO;
}

// k * o with k = t / o in Q15, at most 1, all magnitudes, for 16-bit bands. Up to 16384 that is
// the smaller of both (README.md).
FUNCTION(uint32_t) explained_16(uint32_t o, uint32_t t, uint32_t negative) {
  if (o <= kMaxExactMagnitude) return smaller(o, t);
  const uint32_t ratio = ((1073741824u / o) * t + 16384u) >> 15;
  return (smaller(ratio, 32768u) * o + 16384u - negative) >> 15;
}

// The same for 32-bit bands. The ratio rounds o to 15 bits, and is 1 from t = 2 * o on.
FUNCTION(uint32_t) explained_32(uint32_t o, uint32_t t, uint32_t negative) {
  if (o <= kMaxExactMagnitude) return smaller(o, t);
  const int32_t bits_beyond = 17 - leading_zeros(o);
  const int32_t shift = bits_beyond > 0 ? bits_beyond : 0;
  const uint32_t mantissa = (o + ((1u << shift) >> 1)) >> shift;
  const uint64_t product = uint64_t(1073741824u / mantissa) * uint64_t(smaller(t, o + o));  // 48 bits
  const uint32_t ratio = uint32_t((product + (uint64_t(16384u) << shift)) >> (15 + shift));
  return uint32_t((uint64_t(smaller(ratio, 32768u)) * uint64_t(o) + uint64_t(16384u - negative)) >> 15);
}

// trunc(min(r * gain, t)) with the product as a double. Rounding it to 53 bits can only lift it to
// the next integer, and does so from half a unit of its last place below it.
FUNCTION(uint32_t) raised(uint32_t r, uint32_t t, AdmGain gain) {
  uint64_t product;
  if (gain.integer != 0u) {
    product = uint64_t(r) * uint64_t(gain.integer);
  } else {
    const uint64_t low = uint64_t(r) * uint64_t(gain.low);
    const uint64_t high = uint64_t(r) * uint64_t(gain.high) + (low >> 32);
    const int32_t bits_beyond = bit_length(high) - 21;  // of 53
    const uint64_t lift = bits_beyond > 0 ? uint64_t(1u) << (bits_beyond - 1) : uint64_t(0u);
    product = (high + (((low & uint64_t(0xffffffffu)) + lift) >> 32)) >> gain.shift;
  }
  return product < uint64_t(t) ? uint32_t(product) : t;
}

#if SCALE == 0
#define EXPLAINED explained_16
#else
#define EXPLAINED explained_32
#endif

// The restored part of t. Opposite signs leave none.
FUNCTION(int32_t) restore(int32_t o, int32_t t, bool aligned, AdmGain gain) {
  if ((o ^ t) < 0) return 0;
  const uint32_t t_magnitude = magnitude_of(t);
  uint32_t r = EXPLAINED(magnitude_of(o), t_magnitude, o < 0 ? 1u : 0u);
  if (aligned) r = raised(r, t_magnitude, gain);
  return o < 0 ? -int32_t(r) : int32_t(r);
}

// The restored part in all cases, as the definition says.
FUNCTION(AdmBands) decouple_exactly(AdmBands o, AdmBands t, AdmGain gain) {
  const bool aligned = exactly_aligned(o, t);
  AdmBands r;
  UNROLL for (int32_t i = 0; i < 3; ++i) r.band[i] = restore(o.band[i], t.band[i], aligned, gain);
  return r;
}

FUNCTION(bool) is_exact(int32_t x) { return uint32_t(x + int32_t(kMaxExactMagnitude)) <= 2u * kMaxExactMagnitude; }

// Where restore_fast will do: the gain limit is an integer, floats decide the angle, and at scale 0
// no |o| exceeds kMaxExactMagnitude.
FUNCTION(bool) decouples_fast(AdmBands o, int32_t aligned, AdmGain gain) {
  const bool fits = SCALE > 0 || (is_exact(o.band[0]) && is_exact(o.band[1]) && is_exact(o.band[2]));
  return fits && aligned != ALIGNED_MAYBE && gain.integer != 0u;
}

FUNCTION(int32_t) restore_fast(int32_t o, int32_t t, bool aligned, int32_t limit) {
#if SCALE == 0
  // min(min(|o|, |t|) * limit, |t|) is min(|o| * limit, |t|): what lies between 0 and t.
  const int32_t most = larger(t, 0);
  const int32_t r = aligned ? o * limit : o;
  return larger(r < most ? r : most, t - most);
#else
  const uint32_t t_magnitude = magnitude_of(t);
  const uint32_t r = explained_32(magnitude_of(o), t_magnitude, o < 0 ? 1u : 0u);
  const uint64_t product = uint64_t(r) * uint64_t(uint32_t(limit));
  const uint32_t most = product > uint64_t(t_magnitude) ? t_magnitude : uint32_t(product);
  const int32_t restored = int32_t(aligned ? most : r);
  return (o ^ t) < 0 ? 0 : (o < 0 ? -restored : restored);
#endif
}
