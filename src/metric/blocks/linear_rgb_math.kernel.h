// From samples to linear light, in floats (docs/spec/beyond.md 1.4, 1.5).
#pragma once

#include "kernel/fused.kernel.h"
#include "kernel/kernel.h"

#define LINEAR_RGB_NONE 0
#define LINEAR_RGB_BT1886 1
#define LINEAR_RGB_SRGB 2

// How samples become red, green and blue.
struct LinearRgbFactors {
  int32_t luma_offset;
  int32_t chroma_offset;
  float luma_scale;
  float chroma_scale;
  float cr_red;
  float cb_blue;
  float cb_green;
  float cr_green;
  int32_t transfer;
  int32_t clips;   // red, green and blue to 0 to 1
  int32_t is_rgb;  // the planes are red, green and blue already
};

struct LinearRgb {
  float red;
  float green;
  float blue;
};

// x to the power of 2.4, of x >= 0: three of Newton's steps to the fifth root.
FUNCTION(float) power_24(float x) {
  if (x < bits_float(0x2b800000u)) return 0.0f;  // 2^-40
  const float q = x * 0.2f;
  float r = bits_float(float_bits(x) / 5u + 0x32c9a4f0u);
  for (int32_t i = 0; i < 3; ++i) {
    const float r2 = r * r;
    r = r * 0.8f + exact_divide_float(q, r2 * r2);
  }
  return (x * x) * (r * r);
}

// libjxl's quotient of polynomials.
FUNCTION(float) srgb_to_linear(float x) {
  if (!(x > 0.04045f)) return x * (1.0f / 12.92f);
  float p = 8.210152774e-01f;
  p = fused(p, x, 7.961564959e-01f);
  p = fused(p, x, 1.624820318e-01f);
  p = fused(p, x, 1.043637593e-02f);
  p = fused(p, x, 2.200248328e-04f);
  float q = 6.521209011e-03f;
  q = fused(q, x, -5.512498495e-02f);
  q = fused(q, x, 4.987528350e-01f);
  q = fused(q, x, 1.076976492e+00f);
  q = fused(q, x, 2.631846970e-01f);
  return exact_divide_float(p, q);
}

FUNCTION(float) linear_light(float value, LinearRgbFactors factors) {
  float v = value;
  if (factors.clips != 0) {
    v = v > 0.0f ? v : 0.0f;
    v = v < 1.0f ? v : 1.0f;
  }
  const float size = v < 0.0f ? -v : v;
  float light = size;
  if (factors.transfer == LINEAR_RGB_BT1886) light = power_24(size);
  if (factors.transfer == LINEAR_RGB_SRGB) light = srgb_to_linear(size);
  return v < 0.0f ? -light : light;
}

// Converts luma, and chroma as its filter leaves it, in whole steps of the offset. Where the planes are red, green and
// blue, they come in this order.
FUNCTION(LinearRgb) linear_rgb(int32_t luma, int32_t cb, int32_t cr, LinearRgbFactors factors) {
  const float y = float(luma - factors.luma_offset) * factors.luma_scale;
  const float u = float(cb - factors.chroma_offset) * factors.chroma_scale;
  const float v = float(cr - factors.chroma_offset) * factors.chroma_scale;
  const bool is_rgb = factors.is_rgb != 0;
  LinearRgb rgb;
  rgb.red = linear_light(is_rgb ? y : y + factors.cr_red * v, factors);
  rgb.green = linear_light(is_rgb ? u : (y - factors.cb_green * u) - factors.cr_green * v, factors);
  rgb.blue = linear_light(is_rgb ? v : y + factors.cb_blue * u, factors);
  return rgb;
}
