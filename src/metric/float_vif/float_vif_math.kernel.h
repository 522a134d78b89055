// Arithmetic of float_vif (docs/spec/core.md 4.3), which the reference implementation and the
// kernels share.
#pragma once

#include "kernel/kernel.h"

CONSTANT(float, kVifEpsilon) = 1.0e-10f;

// The logarithm's polynomial in x - 1, for 2^0 <= x < 2^1.
TABLE(float, kLogCoefficients, 9) = {-0.012671635276421f, 0.064841182402670f,  -0.157048836463065f,
                                     0.257167726303123f,  -0.353800560300520f, 0.480131410397451f,
                                     -0.721314327952201f, 1.442694803896991f,  0.0f};

// What a pixel adds to the sums of its scale.
struct FloatVifTerms {
  float num;
  float den;
};

// Local statistics of a pixel: filtered samples and filtered products.
struct FloatVifMoments {
  float mean1;
  float mean2;
  float square1;
  float square2;
  float product;
};

// A step of a filter's running sum.
FUNCTION(float) add_tap(float sum, float tap, float value) { return sum + tap * value; }

// The logarithm to base 2 of x >= 1; infinity's is 128, and that of no number, which 0 / 0 is, is 128.585 for
// both signs.
FUNCTION(float) near_log2(float x) {
  const uint32_t bits = float_bits(x);
  const float fraction = bits_float((bits & 0x007fffffu) | 0x3f800000u) - 1.0f;
  float sum = kLogCoefficients[0];
  UNROLL for (int32_t i = 1; i < 9; ++i) sum = sum * fraction + kLogCoefficients[i];
  return float(int32_t((bits & 0x7f800000u) >> 23) - 127) + sum;
}

// noise: vif_sigma_nsq; flat_factor: its square over 255^2.
FUNCTION(FloatVifTerms) terms_of(FloatVifMoments m, double noise, float flat_factor, float gain_limit) {
  float s1 = m.square1 - m.mean1 * m.mean1;
  float s2 = m.square2 - m.mean2 * m.mean2;
  s1 = s1 > 0.0f ? s1 : 0.0f;
  s2 = s2 > 0.0f ? s2 : 0.0f;
  const float s12 = m.product - m.mean1 * m.mean2;
  float gain = exact_divide_float(s12, s1 + kVifEpsilon);
  float rest = s2 - gain * s12;
  if (s1 < kVifEpsilon) {
    gain = 0.0f;
    rest = s2;
    s1 = 0.0f;
  }
  if (s2 < kVifEpsilon) {
    gain = 0.0f;
    rest = 0.0f;
  }
  if (gain < 0.0f) {
    rest = s2;
    gain = 0.0f;
  }
  rest = rest > kVifEpsilon ? rest : kVifEpsilon;
  gain = gain < gain_limit ? gain : gain_limit;
  FloatVifTerms terms;
  terms.num = near_log2(float(DOUBLE(1.0) + exact_divide(double(gain * gain * s1), double(rest) + noise)));
  terms.den = near_log2(float(DOUBLE(1.0) + exact_divide(double(s1), noise)));
  if (s12 < 0.0f) terms.num = 0.0f;
  if (double(s1) < noise) {
    terms.num = 1.0f - s2 * flat_factor;
    terms.den = 1.0f;
  }
  return terms;
}
