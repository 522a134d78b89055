// Arithmetic of cvvdp's pixels, in floats that round by themselves (docs/spec/cvvdp.md 5).
#pragma once

#include "kernel/kernel.h"
#include "metric/blocks/float_power.kernel.h"

#define CVVDP_NODES 32  // luminances of the tables of sensitivity
#define CVVDP_BLUR_RADIUS 6
#define CVVDP_BLUR_BEYOND 6  // levels are blurred where both sides have more samples

// The Gaussian of sigma 3 by distance: along rows; and down columns, where the factor of masking is inside.
TABLE(uint32_t, kCvvdpBlurAcross, CVVDP_BLUR_RADIUS + 1) = {0x3e0c4fb6u, 0x3e04ba97u, 0x3de0b482u, 0x3daa34cfu,
                                                            0x3d66bc23u, 0x3d0bf2a3u, 0x3c97e9a2u};
TABLE(uint32_t, kCvvdpBlurDown, CVVDP_BLUR_RADIUS + 1) = {0x3cb3c1c8u, 0x3caa0af5u, 0x3c8ff029u, 0x3c5a0e64u,
                                                          0x3c13ccf4u, 0x3bb34a8bu, 0x3b429ea3u};

// How much each channel (row) masks each (column).
TABLE(uint32_t, kCvvdpCrossMasking, 16) = {0x3f607d1bu, 0x3c83670au, 0x3d4d4f23u, 0x3e8629b0u,  //
                                           0x40bd6f5fu, 0x3fa27967u, 0x3e1b747du, 0x3f35640cu,  //
                                           0x4160b270u, 0x3eff158au, 0x3f329bf3u, 0x3f2d0037u,  //
                                           0x3bf67696u, 0x3cb1a4ffu, 0x3db3b062u, 0x3e70d7d9u};

// Exponents: that of differences, and those of what masks, by channel.
CONSTANT(uint32_t, kCvvdpDifferencePower) = 0x4010eb32u;
TABLE(uint32_t, kCvvdpMaskingPowers, 4) = {0x3fa6bc57u, 0x4038deacu, 0x406b91c2u, 0x4065aeb1u};
// Their powers of 1e-5.
CONSTANT(uint32_t, kCvvdpDifferenceOfSmall) = 0x2ca7b73cu;
TABLE(uint32_t, kCvvdpMaskingOfSmall, 4) = {0x34a4b94eu, 0x2781ed07u, 0x20e8ec5du, 0x21a7e89eu};

CONSTANT(uint32_t, kCvvdpSmall) = 0x3727c5acu;       // 1e-5
CONSTANT(uint32_t, kCvvdpLeastLight) = 0x3c23d70au;  // 0.01
CONSTANT(uint32_t, kCvvdpUnblurred) = 0x3e23fc09u;   // the factor of masking where nothing is blurred
CONSTANT(uint32_t, kCvvdpMostDifference) = 0x43b75287u;
CONSTANT(uint32_t, kCvvdpFirstNode) = 0xc0f49a78u;  // log2(0.005)
CONSTANT(uint32_t, kCvvdpNodesPerOctave) = 0x3fbd91f3u;

// An exponent, and its power of 1e-5.
struct CvvdpExponent {
  FloatExponent exponent;
  float of_small;
};

FUNCTION(CvvdpExponent) cvvdp_exponent(float value) {
  const FloatExponent exponent = float_exponent(value);
  const CvvdpExponent result = {exponent, float_power(bits_float(kCvvdpSmall), exponent)};
  return result;
}

// Those of the tables above, whose power of 1e-5 is known.
FUNCTION(CvvdpExponent) cvvdp_known_exponent(uint32_t value, uint32_t of_small) {
  const CvvdpExponent exponent = {float_exponent(bits_float(value)), bits_float(of_small)};
  return exponent;
}
FUNCTION(CvvdpExponent) cvvdp_difference_exponent() {
  return cvvdp_known_exponent(kCvvdpDifferencePower, kCvvdpDifferenceOfSmall);
}
FUNCTION(CvvdpExponent) cvvdp_masking_exponent(int32_t channel) {
  return cvvdp_known_exponent(kCvvdpMaskingPowers[channel], kCvvdpMaskingOfSmall[channel]);
}

// A power that is 0 at 0, and whose slope there is bounded.
FUNCTION(float) cvvdp_soft_pow(float x, CvvdpExponent exponent) {
  return float_power(x + bits_float(kCvvdpSmall), exponent.exponent) - exponent.of_small;
}

// Between two neighbours of a table.
FUNCTION(float) cvvdp_between(float below, float above, float share) { return below + share * (above - below); }

FUNCTION(float) cvvdp_clamp(float x, float least, float most) {
  const float v = x > least ? x : least;
  return v < most ? v : most;
}

// One row of the matrix from light to a channel.
FUNCTION(float) cvvdp_channel(float red, float green, float blue, float of_red, float of_green, float of_blue) {
  return (red * of_red + green * of_green) + blue * of_blue;
}

// Every other sample of a plane, blurred; c lies in the middle.
FUNCTION(float) cvvdp_reduced(float a, float b, float c, float d, float e) {
  return (c * 0.4f + (b + d) * 0.25f) + (a + e) * 0.05f;
}

// A sample of twice the size that stands on `centre`, and one in between.
FUNCTION(float) cvvdp_expanded(float left, float centre, float right) { return (left + right) * 0.1f + centre * 0.8f; }
FUNCTION(float) cvvdp_expanded_between(float left, float right) { return (left + right) * 0.5f; }

// `background` is what the larger scales have of the first channel.
FUNCTION(float) cvvdp_contrast(float value, float expanded, float background) {
  const float light = bits_float(kCvvdpLeastLight);
  const float contrast = exact_divide_float(value - expanded, background > light ? background : light);
  return contrast < 1000.0f ? contrast : 1000.0f;
}

// Where in the tables of sensitivity a luminance lies: 0 to CVVDP_NODES - 1.
FUNCTION(float) cvvdp_node(float background) {
  const float light = bits_float(kCvvdpLeastLight);
  const FloatLog2 log2 = float_log2(background > light ? background : light);
  const float node = ((log2.whole + log2.part) - bits_float(kCvvdpFirstNode)) * bits_float(kCvvdpNodesPerOctave);
  return cvvdp_clamp(node, 0.0f, float(CVVDP_NODES - 1));
}

FUNCTION(float) cvvdp_masker(float distorted, float reference) {
  const float a = distorted < 0.0f ? -distorted : distorted;
  const float b = reference < 0.0f ? -reference : reference;
  return a < b ? a : b;
}

// A difference in a channel whose maskers add up to `masking`; below kCvvdpMostDifference.
FUNCTION(float) cvvdp_difference(float distorted, float reference, float masking, CvvdpExponent exponent) {
  const float most = bits_float(kCvvdpMostDifference);
  const float difference = distorted < reference ? reference - distorted : distorted - reference;
  const float power = cvvdp_soft_pow(difference, exponent);
  return exact_divide_float(most * power, most * (1.0f + masking) + power);
}

// What the mean of squares adds up.
FUNCTION(float) cvvdp_square(float difference) {
  const float small = bits_float(kCvvdpSmall);
  const float v = difference + small;
  return v * v - small * small;
}

// The heat map: channels add up by fourth powers.
FUNCTION(float) cvvdp_fourth_power(float x) {
  const float small = bits_float(kCvvdpSmall);
  const float v = x + small;
  return (v * v) * (v * v) - (small * small) * (small * small);
}
FUNCTION(float) cvvdp_fourth_root(float x) {
  const float small = bits_float(kCvvdpSmall);
  return exact_sqrt_float(exact_sqrt_float(x + small)) - exact_sqrt_float(exact_sqrt_float(small));
}
