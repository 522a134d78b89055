// Arithmetic of SSIM between planes of PU21, in floats that round by themselves (docs/spec/hdr.md 5.3).
#pragma once

#include "kernel/kernel.h"

#define PU_BLUR_RADIUS 5

// The Gaussian of sigma 1.5 by distance.
TABLE(uint32_t, kPuBlur, PU_BLUR_RADIUS + 1) = {0x3e8832b0u, 0x3e5a1e20u, 0x3ddff87fu,
                                                0x3d13758cu, 0x3bf8ff01u, 0x3a86cab6u};

// Blurs of a place: of the reference, the difference, its square and the sum of both videos' squares.
struct PuBlurs {
  float reference, difference, square, power;
};

// 1 - SSIM of a place, without cancelled digits.
FUNCTION(float) pu_dissimilarity(PuBlurs blurs) {
  const float distorted = blurs.reference - blurs.difference;
  const float mean = blurs.reference * blurs.reference + distorted * distorted;
  const float difference = blurs.difference * blurs.difference;
  const float noise = blurs.square - difference;
  const float power = blurs.power - mean;
  const float a = exact_divide_moderate(difference, mean + 6.5536f);
  const float c = exact_divide_moderate(noise > 0.0f ? noise : 0.0f, (power > 0.0f ? power : 0.0f) + 58.9824f);
  return (a + c) - a * c;
}
