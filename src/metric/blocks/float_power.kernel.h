// Logarithms and powers of floats by polynomials, in floats that round by themselves (docs/spec/cvvdp.md 5.1). Numbers
// are converted to whole ones and back by a sum, since GPUs have few units for conversions.
#pragma once

#include "kernel/kernel.h"

#define FLOAT_LOG2_TERMS 9
#define FLOAT_EXP2_TERMS 7
#define FLOAT_WHOLE 12582912.0f  // 1.5 * 2^23: the last place of numbers near it is 1

// log2(1 + f) / f from -0.3 to 0.42, within 6.5e-8 of it once multiplied by f; and 2^g from -0.5 to 0.5.
TABLE(uint32_t, kFloatLog2, FLOAT_LOG2_TERMS) = {0x3fb8aa3bu, 0xbf38aa36u, 0x3ef639dfu, 0xbeb8afcdu, 0x3e936cc1u,
                                                 0xbe746765u, 0x3e5c6099u, 0xbe55f2c1u, 0x3e045de1u};
TABLE(uint32_t, kFloatExp2, FLOAT_EXP2_TERMS) = {0x3f800000u, 0x3f317218u, 0x3e75fdf1u, 0x3d635766u,
                                                 0x3c1d94cbu, 0x3aafa463u, 0x39224c80u};

// x = 2^(whole + part).
struct FloatLog2 {
  float whole, part;
};

// An exponent, in two parts whose first has 12 bits.
struct FloatExponent {
  float value, high, low;
};

FUNCTION(FloatExponent) float_exponent(float value) {
  FloatExponent exponent = {value, bits_float(float_bits(value) & 0xfffff000u), 0.0f};
  exponent.low = value - exponent.high;
  return exponent;
}

// log2(1 + f), -0.3 < f < 0.42.
FUNCTION(float) float_log2_of_1_and(float f) {
  float p = bits_float(kFloatLog2[FLOAT_LOG2_TERMS - 1]);
  UNROLL for (int32_t i = FLOAT_LOG2_TERMS - 2; i >= 0; --i) p = p * f + bits_float(kFloatLog2[i]);
  return f * p;
}

// The whole part of x's logarithm; x / 2^it lies between the roots of 1/2 and of 2. x is positive and normal.
FUNCTION(int32_t) float_whole_log2(float x) { return (int32_t(float_bits(x)) - 0x3f3504f3) >> 23; }

// x / 2^whole
FUNCTION(float) float_scaled(float x, int32_t whole) {
  return bits_float(uint32_t(int32_t(float_bits(x)) - whole * 0x800000));
}

// |whole| < 2^22.
FUNCTION(float) float_of_whole(int32_t whole) { return bits_float(uint32_t(whole + 0x4b400000)) - FLOAT_WHOLE; }

// x is positive and normal.
FUNCTION(FloatLog2) float_log2(float x) {
  const int32_t whole = float_whole_log2(x);
  const FloatLog2 result = {float_of_whole(whole), float_log2_of_1_and(float_scaled(x, whole) - 1.0f)};
  return result;
}

// The nearest whole number, of two the even one, in the lowest bits. |x| < 2^22.
FUNCTION(float) float_shifted(float x) { return x + FLOAT_WHOLE; }

// 2^g - 1, |g| <= 0.5.
FUNCTION(float) float_exp2_less_1(float g) {
  float p = bits_float(kFloatExp2[FLOAT_EXP2_TERMS - 1]);
  UNROLL for (int32_t i = FLOAT_EXP2_TERMS - 2; i >= 1; --i) p = p * g + bits_float(kFloatExp2[i]);
  return g * p;
}

// 2^(whole + part), |part| about 0.5 at most; `shifted`: the whole number as float_shifted leaves it. The power of the
// part is normal, and so is the result: multiplying by 2^whole adds to the exponent.
FUNCTION(float) float_two_to(float shifted, float part) {
  float p = bits_float(kFloatExp2[FLOAT_EXP2_TERMS - 1]);
  UNROLL for (int32_t i = FLOAT_EXP2_TERMS - 2; i >= 0; --i) p = p * part + bits_float(kFloatExp2[i]);
  return bits_float(float_bits(p) + (float_bits(shifted) << 23));
}

FUNCTION(float) float_exp2(float x) {
  const float shifted = float_shifted(x);
  return float_two_to(shifted, x - (shifted - FLOAT_WHOLE));
}

// x is positive and normal; results stay within 2^-126 to 2^126.
FUNCTION(float) float_power(float x, FloatExponent exponent) {
  const FloatLog2 log2 = float_log2(x);
  const float shifted = float_shifted(exponent.value * (log2.whole + log2.part));
  const float whole = shifted - FLOAT_WHOLE;
  const float part = ((exponent.high * log2.whole - whole) + exponent.low * log2.whole) + exponent.value * log2.part;
  return float_two_to(shifted, part);
}
