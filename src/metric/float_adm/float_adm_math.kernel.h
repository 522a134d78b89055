// Arithmetic of float_adm (docs/spec/core.md 4.4), which the reference implementation and the
// kernels share.
#pragma once

#include "kernel/kernel.h"

TABLE(float, kLowTaps, 4) = {0.482962913144690f, 0.836516303737469f, 0.224143868041857f, -0.129409522550921f};
TABLE(float, kHighTaps, 4) = {-0.129409522550921f, -0.224143868041857f, 0.836516303737469f, -0.482962913144690f};

CONSTANT(float, kCosSquared) = 0.99969542026519775f;  // of 1 degree
CONSTANT(float, kTinyDivisor) = 1e-30f;
CONSTANT(double, kNeighbourShare) = DOUBLE(0.0333333351);
CONSTANT(double, kCentreShare) = DOUBLE(0.0666666701);

// The sample that tap k of output i reads: mirrored at the first edge, the last one repeated.
FUNCTION(int32_t) wavelet_index(int32_t i, int32_t k, int32_t n) {
  const int32_t at = 2 * i - 1 + k;
  const int32_t mirrored = at < 0 ? -at : at;
  return mirrored < n ? mirrored : 2 * n - 1 - mirrored;
}

FUNCTION(float) wavelet_low(float a, float b, float c, float d) {
  return ((kLowTaps[0] * a + kLowTaps[1] * b) + kLowTaps[2] * c) + kLowTaps[3] * d;
}

FUNCTION(float) wavelet_high(float a, float b, float c, float d) {
  return ((kHighTaps[0] * a + kHighTaps[1] * b) + kHighTaps[2] * c) + kHighTaps[3] * d;
}

// Whether the h and v details of both pictures point the same way, within a degree.
FUNCTION(bool) same_angle(float oh, float ov, float th, float tv) {
  const float product = oh * th + ov * tv;
  const float reference = oh * oh + ov * ov;
  const float distorted = th * th + tv * tv;
  return product >= 0.0f && product * product >= (kCosSquared * reference) * distorted;
}

// The approximate reciprocal of Intel's processors (rcpss), for normal numbers whose reciprocal is
// normal: 2^11 steps an octave, each the reciprocal of its middle, rounded to 12 bits behind the
// leading one. A float's quotient lies on the tie itself for two of the steps; a middle that is one
// unit lower and ties that go down give all 2,048 as they are (checked one by one in the test).
CONSTANT(uint32_t, kStepMask) = 0xfffff000u;
CONSTANT(uint32_t, kStepMiddle) = 0x000007ffu;
CONSTANT(uint32_t, kBelowHalf) = 0x000003ffu;
CONSTANT(uint32_t, kKeptBits) = 0xfffff800u;

FUNCTION(float) approximate_reciprocal(float x) {
  const float middle = bits_float((float_bits(x) & kStepMask) | kStepMiddle);
  return bits_float((float_bits(exact_divide_float(1.0f, middle)) + kBelowHalf) & kKeptBits);
}

// With a step of Newton's method: off by a unit in the last place or two.
FUNCTION(float) near_reciprocal(float x) {
  const float first = approximate_reciprocal(x);
  return first + first * (1.0f - x * first);
}

// The part of t that o explains, raised towards t by at most the gain limit where the angles agree.
FUNCTION(float) restored(float o, float t, bool same, double gain_limit) {
  const float ratio = t * near_reciprocal(o + kTinyDivisor);
  const float clamped = ratio < 0.0f ? 0.0f : ratio > 1.0f ? 1.0f : ratio;
  const float r = clamped * o;
  const double raised = double(r) * gain_limit;
  if (same && r > 0.0f) return float(raised < double(t) ? raised : double(t));
  if (same && r < 0.0f) return float(raised > double(t) ? raised : double(t));
  return r;
}

FUNCTION(float) magnitude_of(float x) { return x < 0.0f ? -x : x; }

// What a weighted detail adds to the threshold of its neighbours; the centre's is added in double.
FUNCTION(float) neighbour_share(float weighted) { return float(kNeighbourShare * double(magnitude_of(weighted))); }

FUNCTION(float) add_centre_share(float sum, float weighted) {
  return float(double(sum) + kCentreShare * double(magnitude_of(weighted)));
}

// The magnitude beyond the threshold.
FUNCTION(float) beyond(float weighted, float threshold) {
  const float rest = magnitude_of(weighted) - threshold;
  return rest > 0.0f ? rest : 0.0f;
}

FUNCTION(float) cube_of(float x) { return x * x * x; }
