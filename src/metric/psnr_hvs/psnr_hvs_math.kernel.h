// Arithmetic of PSNR-HVS (docs/spec/siblings.md 4): the integer transform of a block and the float
// steps of its masking, which the reference implementation and the kernels share.
#pragma once

#include "kernel/kernel.h"

CONSTANT(int32_t, kBlockSide) = 8;
CONSTANT(int32_t, kBlockStep) = 7;  // neighbouring blocks overlap by a sample
CONSTANT(int32_t, kBlockSamples) = 64;

// fl(fl(1/63) * 64) and fl(fl(1/15) * 16): sums of squared deviations become 64 or 16 variances.
CONSTANT(float, kBlockVariance) = 1.0158730745315552f;
CONSTANT(float, kQuarterVariance) = 1.0666667222976685f;

// A line of a block: samples, then coefficients.
struct HvsLine {
  int32_t v[8];
};

FUNCTION(int32_t) half_toward_zero(int32_t v) { return (v + int32_t(uint32_t(v) >> 31)) >> 1; }

FUNCTION(int32_t) scaled(int32_t v, int32_t factor, int32_t bits) { return (v * factor + (1 << (bits - 1))) >> bits; }

// The transform of 8 values by lifting steps. No value leaves 8 times the largest sample in two
// passes, and no product 0.34 * 2^31 at 12 bits.
FUNCTION(HvsLine) transformed(HvsLine x) {
  int32_t t1 = x.v[0] - x.v[7];
  const int32_t half1 = half_toward_zero(t1);
  int32_t t0 = x.v[0] - half1;
  int32_t t4 = x.v[1] + x.v[6];
  const int32_t half4 = half_toward_zero(t4);
  int32_t t5 = x.v[6] - half4;
  int32_t t3 = x.v[2] - x.v[5];
  int32_t t2 = x.v[2] - half_toward_zero(t3);
  int32_t t6 = x.v[3] + x.v[4];
  const int32_t half6 = half_toward_zero(t6);
  int32_t t7 = half6 - x.v[4];
  t0 += half6;
  t6 = t0 - t6;
  t2 = half4 - t2;
  t4 = t2 - t4;
  t0 -= scaled(t4, 13573, 15);
  t4 += scaled(t0, 11585, 14);
  t0 -= scaled(t4, 13573, 15);
  t6 -= scaled(t2, 21895, 15);
  t2 += scaled(t6, 15137, 14);
  t6 -= scaled(t2, 21895, 15);
  t3 += scaled(t5, 19195, 15);
  t5 += scaled(t3, 11585, 14);
  t3 -= scaled(t5, 7489, 13);
  t7 = half_toward_zero(t5) - t7;
  t5 -= t7;
  t3 = half1 - t3;
  t1 -= t3;
  t7 += scaled(t1, 3227, 15);
  t1 -= scaled(t7, 6393, 15);
  t7 += scaled(t1, 3227, 15);
  t5 += scaled(t3, 2485, 13);
  t3 -= scaled(t5, 18205, 15);
  t5 += scaled(t3, 2485, 13);
  const HvsLine y = {{t0, t1, t2, t3, t4, t5, t6, t7}};
  return y;
}

FUNCTION(float) squared_deviation(int32_t sample_, float mean) {
  const float deviation = float(sample_) - mean;
  return deviation * deviation;
}

// How much of a block's variance its quarters hold; `quarters` is the running sum of theirs.
FUNCTION(float) quarter_share(float block_squares, float quarters) {
  const float variance = block_squares * kBlockVariance;
  return variance > 0.0f ? exact_divide_float(quarters, variance) : variance;
}

FUNCTION(float) masking_energy(int32_t coefficient, float mask) {
  const float x = float(coefficient);
  return (x * x) * mask;
}

FUNCTION(float) masking_strength(float energy, float share) { return exact_sqrt_float(energy * share) * 0.03125f; }

// What a coefficient adds to the plane's sum. Errors below the mask's threshold count nothing,
// except that of the mean. Most are clearly below it, with 2^-20 for roundings, and need no division.
FUNCTION(float) error_term(int32_t reference, int32_t distorted, bool is_mean, float strength, float csf, float mask) {
  const int32_t difference = reference - distorted;
  float error = float(difference < 0 ? -difference : difference);
  if (!is_mean) {
    if (error * mask < strength * 0.99999905f) return 0.0f;
    const float threshold = exact_divide_float(strength, mask);
    error = error < threshold ? 0.0f : error - threshold;
  }
  const float weighted = error * csf;
  return weighted * weighted;
}
