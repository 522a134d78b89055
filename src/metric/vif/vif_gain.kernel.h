// The gain of a textured pixel and the variance that it leaves (docs/spec/core.md 1.5), with the
// bits that doubles give:
//   g = s12 / (s1 + epsilon)   sv = trunc(s2 - g s12)   n1 = max(sv, 0) + N   n2 = trunc(min(g, limit)^2 s1) + n1
// with s1 >= N, s2 > 0, s12 > 0, all below 2^30. quick_gain finds the truncated values from the exact quotient of
// integers, and says when a rounding of the doubles could have changed one: then exact_gain makes those doubles.
#pragma once

#include "metric/blocks/soft_double.kernel.h"
#include "metric/vif/vif_args.h"
#include "metric/vif/vif_math.kernel.h"

// n2 is (n2_high << n2_shift) plus bits that its logarithm does not see; n2_high >= 2^16.
struct VifGain {
  uint32_t n1;
  uint32_t n2_high;
  uint32_t n2_shift;
};

FUNCTION(VifGain) exact_gain(uint32_t s1, uint32_t s2, uint32_t s12, VifGainLimit limit) {
  SoftDouble largest;
  largest.mantissa = limit.mantissa;
  largest.exponent = limit.exponent;
  SoftDouble square;
  square.mantissa = limit.square_mantissa;
  square.exponent = limit.square_exponent;
  const SoftDouble divisor =
      round_to_double(uint64_t(s1) << (-64 - kEpsilonExponent), kEpsilonMantissa, kEpsilonExponent);
  const SoftDouble g = divide_to_double(s12, divisor);
  const SoftDouble explained = multiply_to_double(g.mantissa, uint64_t(s12), g.exponent);
  const uint64_t whole = floor_of_double(explained);
  uint32_t sv = 0u;
  if (whole < uint64_t(s2)) {
    // s2 - explained lies in (k - 1, k]. It becomes k, as a double, at half a last place from it or nearer.
    const uint32_t k = s2 - uint32_t(whole);
    const int32_t half_place = (31 - leading_zeros(k - 1u)) - 53 - explained.exponent;
    const uint64_t nearest = half_place < 0 ? uint64_t(0u) : uint64_t(1u) << half_place;
    sv = fraction_of_double(explained) <= nearest ? k : k - 1u;
  }
  if (!greater_double(g, largest)) square = multiply_to_double(g.mantissa, g.mantissa, 2 * g.exponent);
  const uint64_t product = floor_of_double(multiply_to_double(square.mantissa, uint64_t(s1), square.exponent));
  VifGain gain;
  gain.n1 = sv + uint32_t(kNoise);
  const uint64_t n2 = product + uint64_t(gain.n1);
  gain.n2_shift = (n2 >> 32) != uint64_t(0u) ? 16u : 0u;
  gain.n2_high = uint32_t(n2 >> gain.n2_shift);
  return gain;
}

// Compares s12 with limit * (s1 + epsilon): 1 greater for sure, -1 not greater for sure, 0 neither.
FUNCTION(int32_t) compare_with_limit(uint32_t s1, uint32_t s12, VifGainLimit limit) {
  const uint64_t rounded_down = limit.mantissa >> (-25 - limit.exponent);  // of 2^25 limit, below 2^32
  const int64_t difference = (int64_t(s12) << 25) - int64_t(rounded_down * uint64_t(s1));
  if (difference <= int64_t(0)) return -1;
  // The bits dropped count for less than s1, epsilon and the divisor's rounding for less than 2^25 * 100 * 6.7e-6.
  return difference > int64_t(s1) + int64_t(23000) ? 1 : 0;
}

// min(g, limit)^2 s1, truncated, where the limit is less.
FUNCTION(uint32_t) limited_product(uint32_t s1, VifGainLimit limit) {
  return uint32_t(floor_of_double(multiply_to_double(limit.square_mantissa, uint64_t(s1), limit.square_exponent)));
}

// e = s12^2 / s1 = whole + rest / s1, 0 <= rest < s1. The doubles stand for e - x in sv and for e - 2x in n2, where x
// s1 is epsilon e except epsilon^2. Their roundings come to less than e 2^-50 + 2^-24 < 2^-19. So the floors are
// certain where rest is far enough from the places at which they change: 0, x s1, 2x s1 and s1.
struct VifExplained {
  int32_t whole;
  int32_t rest;
};

// e < 2^30. The estimate is within 2^-20 of e, that is 2^10: from 2048 less of it, 1024 to 3072 remain. Their estimate
// is off by 3072 * 2^-20 and by 2^10 / s1 at most, together less than the 0.02 taken off.
FUNCTION(VifExplained) divide_square(uint32_t s1, uint32_t s12, float reciprocal, float estimate) {
  const int32_t first = int32_t(estimate) - 2048;
  const int64_t remainder = int64_t(uint64_t(s12) * uint64_t(s12)) + int64_t(-first) * int64_t(int32_t(s1));
  const float scaled = reciprocal * 1024.0f;
  const float correction = float(uint32_t(remainder >> 10)) * scaled;
  const float lower = correction - 0.02f;
  const int32_t second = int32_t(lower);
  VifExplained e;
  e.whole = first + second;
  e.rest = int32_t(uint32_t(remainder) - uint32_t(second) * s1);  // from 0 to 1.03 s1
  if (e.rest >= int32_t(s1)) {
    e.rest -= int32_t(s1);
    ++e.whole;
  }
  return e;
}

FUNCTION(VifGain) make_gain(int32_t sv, uint32_t product) {
  VifGain gain;
  gain.n1 = uint32_t((sv < 0 ? 0 : sv) + kNoise);
  gain.n2_high = gain.n1 + product;
  gain.n2_shift = 0u;
  return gain;
}

// Near 0, as where both pictures are the same and e - x falls short of an integer, and where the gain may be limited.
// In units of 2^-8: x s1 < 7037 (2^40 epsilon is 7205759), and rest, cut off beyond its reach.
FUNCTION(bool)
careful_gain(uint32_t s1, uint32_t s2, uint32_t s12, VifExplained e, VifGainLimit limit, IN_OUT(VifGain) gain) {
  const int32_t x = int32_t((uint64_t(e.whole) * uint64_t(7205759u)) >> 32);
  const int32_t doubt = int32_t(s1 >> 11) + 4;
  const int32_t reach = 1 << 20;
  const int32_t near = (e.rest > reach ? reach : e.rest) * 256;
  const int32_t limited = compare_with_limit(s1, s12, limit);
  const uint32_t product = limited > 0 ? limited_product(s1, limit) : uint32_t(e.whole - (near < 2 * x ? 1 : 0));
  gain = make_gain(int32_t(s2) - e.whole - (near < x ? 0 : 1), product);
  const bool at_x = near - x <= doubt && x - near <= doubt;
  const bool at_2x = near - 2 * x <= doubt && 2 * x - near <= doubt;
  return !(at_x || at_2x || e.rest >= int32_t(s1) - (doubt >> 8) - 1 || limited == 0);
}

// False where doubles may give something else, which one pixel in some ten thousand is suspected of.
FUNCTION(bool) quick_gain(uint32_t s1, uint32_t s2, uint32_t s12, VifGainLimit limit, IN_OUT(VifGain) gain) {
  const float reciprocal = estimate_reciprocal(float(s1));
  const float ratio = float(s12) * reciprocal;
  const float estimate = ratio * float(s12);
  if (estimate >= 1.074e9f) return false;  // 2^30, a little more than the largest s2
  const VifExplained e = divide_square(s1, s12, reciprocal, estimate);
  // 2x s1 and the doubt; 2^33 epsilon is 56295. The limit, less 2^-9 of it, is in units of 2^-25.
  const uint32_t margin = uint32_t((uint64_t(e.whole) * uint64_t(56295u)) >> 32) + (s1 >> 19) + 3u;
  const float limit_estimate = float(uint32_t(limit.mantissa >> (-25 - limit.exponent))) * 2.975e-8f;
  if (uint32_t(e.rest) - margin >= s1 - 2u * margin || ratio >= limit_estimate) {
    return careful_gain(s1, s2, s12, e, limit, gain);
  }
  gain = make_gain(int32_t(s2) - e.whole - 1, uint32_t(e.whole));
  return true;
}

FUNCTION(VifGain) find_gain(uint32_t s1, uint32_t s2, uint32_t s12, VifGainLimit limit) {
  VifGain gain;
  if (!quick_gain(s1, s2, s12, limit, gain)) gain = exact_gain(s1, s2, s12, limit);
  return gain;
}
