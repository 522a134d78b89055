// Division and square root of floats by Newton's method with fused operations, without a branch; made of doubles where
// a device has none. All numbers on the way, what is left of a quotient among them, must be normal or 0.
#pragma once

#include "kernel/divide/float_via_double.kernel.h"
#include "kernel/fused.kernel.h"

// What is left of a quotient, times an inverse, corrects it.
FUNCTION(float) corrected(float quotient, float a, float b, float inverse) {
  return fused(fused(-b, quotient, a), inverse, quotient);
}

FUNCTION(float) better_inverse(float b, float inverse) { return fused(inverse, fused(-b, inverse, 1.0f), inverse); }

// a / b from an estimate of 1 / b within two units in the last place. Whether it is rounded correctly must have been
// tried for all arguments.
FUNCTION(float) divide_tried_by_fused(float a, float b, float estimate) {
  const float inverse = better_inverse(b, estimate);
  return corrected(corrected(a * inverse, a, b, inverse), a, b, inverse);
}

// a / b from an estimate within four units, rounded correctly. Newton's steps leave 1 / b off by 1/2 + 2^-22 of a unit
// and the first correction the quotient by hardly more than 1/2, so that the last one is off by at most
// 2^-25 * (1 + 2^-21) * B / 2^24 of a unit, with b's digits as a whole number B. A quotient lies 2^-25 * 2^24 / B from
// the middle of two floats, so that only the two largest B could fail. They have been tried with all a, as have all B
// with those a that come nearest to the middle: 1 / b of the largest B has to be the larger one of its neighbours.
FUNCTION(float) divide_by_fused(float a, float b, float estimate) {
  const float nearly = better_inverse(b, better_inverse(b, estimate));
  const uint32_t is_largest = (float_bits(b) & 0x007fffffu) == 0x007fffffu ? 1u : 0u;
  const float inverse = bits_float(float_bits(nearly) + is_largest);
  return corrected(corrected(a * inverse, a, b, inverse), a, b, inverse);
}

// The root of a from an estimate of its inverse within 16 units in the last place. All floats between 1 and 4 have been
// tried with such estimates; the others differ from them by powers of 4.
FUNCTION(float) root_by_fused(float a, float estimate) {
  const float first = a * estimate;
  const float half_estimate = 0.5f * estimate;
  const float missing = fused(-first, half_estimate, 0.5f);
  const float root = fused(first, missing, first);
  const float half_inverse = fused(half_estimate, missing, half_estimate);
  return fused(fused(-root, root, a), half_inverse, root);
}

FUNCTION(float) divide_normal_floats(float a, float b) {
#ifdef ACU_DIALECT_GLSL
  float quotient;
  if (acu_fuses) quotient = divide_by_fused(a, b, estimate_reciprocal(b));
  else quotient = divide_floats(a, b);
  return quotient;
#else
  return divide_floats(a, b);
#endif
}

FUNCTION(float) root_of_normal_float(float a) {
#ifdef ACU_DIALECT_GLSL
  float root;
  if (acu_fuses) root = root_by_fused(a, estimate_reciprocal(estimate_square_root(a)));
  else root = root_of_float(a);
  return root;
#else
  return root_of_float(a);
#endif
}
