// The terms of float_adm and their running sums. They have the bits that floats with subnormal numbers give, computed
// without subnormal numbers: Vulkan lets a device take those for 0, and NVIDIA's driver does.
#pragma once

#if POWER

// A sum of any powers may be as large as a float can be, or overflow, and has no room for a scale: it is a float's
// value in a double, and a term is a float's bits.
#define SUM double

CONSTANT(double, kLeastNormal) = DOUBLE(1.1754943508222875e-38);     // 2^-126
CONSTANT(double, kLeastSubnormal) = DOUBLE(1.4012984643248171e-45);  // 2^-149
CONSTANT(double, kSubnormals) = DOUBLE(7.1362384635297994e+44);      // 2^149
CONSTANT(double, kWhole) = DOUBLE(4503599627370496.0);               // 2^52: a double this large is whole

FUNCTION(uint32_t) bits_of_float(double x) {
  return x >= kLeastNormal ? float_bits(float(x)) : uint32_t((x * kSubnormals + kWhole) - kWhole);
}

FUNCTION(double) value_of_bits(uint32_t bits) {
  return bits < 0x00800000u ? double(bits) * kLeastSubnormal : double(bits_float(bits));
}

FUNCTION(float) power_of(CONTEXT(float x)) {
  if (!(x > 0.0f)) return 0.0f;
  return bits_float(bits_of_float(exact_powf_unrounded(args.table, x * (1.0f / FLOAT_ADM_SCALE), args.p_norm)));
}

// Sums below 2^-126 are exact.
FUNCTION(double) plus_term(double sum, float term) {
  const double next = sum + value_of_bits(float_bits(term));
  return next >= kLeastNormal ? double(float(next)) : next;
}

FUNCTION(float) stored_sum(double sum) { return bits_float(bits_of_float(sum)); }

#else

// Terms and sums are 2^24 times larger than they are, multiples of 2^-125.
#define SUM float

CONSTANT(float, kNoCube) = 2.2737367544323206e-13f;              // 2^-42: the cube of what is smaller rounds to 0
CONSTANT(float, kLeastNormal) = 1.9721522630525295e-31f;         // 2^-102
CONSTANT(float, kSubnormals) = 4.2535295865117308e+37f;          // 2^125
CONSTANT(double, kToMultiple) = DOUBLE(1.0587911840678754e-22);  // 2^-73: a double next to it is a multiple of 2^-125
CONSTANT(float, kToSum) = 5.9604644775390625e-08f;               // 2^-24

FUNCTION(float) cube_of_scaled(float x) {
  if (x < kNoCube) return 0.0f;
  const float square = x * x;
  const float cube = square * x;
  if (cube >= kLeastNormal) return cube;
  return float((double(square) * double(x) + kToMultiple) - kToMultiple);
}

FUNCTION(float) plus_term(float sum, float term) { return sum + term; }

FUNCTION(float) stored_sum(float sum) {
  return sum >= kLeastNormal ? sum * kToSum : bits_float(uint32_t(sum * kSubnormals));
}

#endif
