// Arithmetic of ssimulacra2's pixels, in floats (docs/spec/beyond.md 3.3 to 3.5).
#pragma once

#include "kernel/fused.kernel.h"
#include "kernel/kernel.h"

struct PerceivedColor {
  float x, y, b;
};

// What a cone sees of a color, to the power of 1/3, without what it sees of black.
FUNCTION(float) cone_response(float red, float green, float blue, float of_red, float of_green, float of_blue) {
  const float bias = bits_float(0x3b789536u);
  const WIDE_FLOAT of_one = fused_wide(WIDE_FLOAT(of_blue), WIDE_FLOAT(blue), WIDE_FLOAT(bias));
  const WIDE_FLOAT of_two = fused_wide(WIDE_FLOAT(of_green), WIDE_FLOAT(green), of_one);
  const float light = float(fused_wide(WIDE_FLOAT(of_red), WIDE_FLOAT(red), of_two));
  const float v = light > 0.0f ? light : 0.0f;
  const float third = bits_float(0x3eaaaaabu);
  const int32_t bits = int32_t(float_bits(v));
  float r = bits == 0 ? 0.0f : bits_float(uint32_t(0x54800000 - (bits >> 23) * 0x002aaaaa));
  const float x3 = v * third;
  for (int32_t i = 0; i < 3; ++i) {
    const float r2 = r * r;
    r = fused(-x3, r2 * r2, r * bits_float(0x3faaaaabu));
  }
  const float r2 = r * r;
  r = fused(fused(-v, r2 * r2, r), third, r);
  return fused(r * r, v, bits_float(0xbe1fb275u));
}

FUNCTION(PerceivedColor) perceived_color(float red, float green, float blue) {
  const float l =
      cone_response(red, green, blue, bits_float(0x3e99999au), bits_float(0x3f1f3b64u), bits_float(0x3d9fbe77u));
  const float m =
      cone_response(red, green, blue, bits_float(0x3e6b851fu), bits_float(0x3f3126e9u), bits_float(0x3d9fbe77u));
  const float s =
      cone_response(red, green, blue, bits_float(0x3e7943ccu), bits_float(0x3e51ae8fu), bits_float(0x3f0d4369u));
  const float x = 0.5f * (l - m);
  const float y = 0.5f * (l + m);
  const PerceivedColor color = {x * 14.0f + 0.42f, y + 0.01f, (s - y) + 0.55f};
  return color;
}

// The blur's second-order sections. INPUT, BEFORE and BEFORE_THAT weigh what comes in and the last two outputs, in each
// of four outputs that follow.
#define SSIMULACRA2_SECTIONS 3
TABLE(uint32_t, kSectionInput, 12) = {0x3d627d42u, 0x3dd76774u, 0x3e143d3au, 0x3e2e43fdu, 0xbd70febdu, 0xbd8da742u,
                                      0xbcb81a96u, 0x3d2f17dau, 0x3c5444a5u, 0x21ea2532u, 0xbc5444a5u, 0xa26a2532u};
TABLE(uint32_t, kSectionBefore, 12) = {0x3ff37871u, 0x40278ddeu, 0x4044f8c4u, 0x404f1bbdu, 0x3f967918u, 0x3ec3910du,
                                       0xbf39feb1u, 0xbf9e377au, 0x250d3132u, 0xbf800000u, 0xa58d3132u, 0x3f800000u};
TABLE(uint32_t, kSectionBeforeThat, 12) = {0xbf800000u, 0xbff37871u, 0xc0278ddeu, 0xc044f8c4u,
                                           0xbf800000u, 0xbf967918u, 0xbec3910du, 0x3f39feb1u,
                                           0xbf800000u, 0xa50d3132u, 0x3f800000u, 0x258d3132u};
// Down columns: of the input, and of the last output.
TABLE(uint32_t, kSectionDownInput, 3) = {0x3d627d42u, 0xbd70febdu, 0x3c5444a5u};
TABLE(uint32_t, kSectionDownBefore, 3) = {0xbff37871u, 0xbf967918u, 0xa50d3132u};

FUNCTION(float) section_input(int32_t section, int32_t place) { return bits_float(kSectionInput[4 * section + place]); }
FUNCTION(float) section_before(int32_t section, int32_t place) {
  return bits_float(kSectionBefore[4 * section + place]);
}
FUNCTION(float) section_before_that(int32_t section, int32_t place) {
  return bits_float(kSectionBeforeThat[4 * section + place]);
}

// Means and mean products of both pictures around a pixel.
struct PixelMeans {
  float mean1, mean2, square1, square2, product;
};

FUNCTION(float) structure_loss(PixelMeans m) {
  const float c2 = 0.0009f;
  const float difference = m.mean1 - m.mean2;
  const float means = 1.0f - difference * difference;
  const float above = 2.0f * (m.product - m.mean1 * m.mean2) + c2;
  const float below = ((m.square1 - m.mean1 * m.mean1) + (m.square2 - m.mean2 * m.mean2)) + c2;
  const float loss = 1.0f - exact_divide_float(means * above, below);
  return loss > 0.0f ? loss : 0.0f;
}

// More than 0: the distorted picture has an edge that the reference lacks; less: it lacks one.
FUNCTION(float) edge_change(float value1, float value2, float mean1, float mean2) {
  const float d1 = value1 - mean1;
  const float d2 = value2 - mean2;
  const float edge1 = d1 < 0.0f ? -d1 : d1;
  const float edge2 = d2 < 0.0f ? -d2 : d2;
  return exact_divide_float(edge2 - edge1, 1.0f + edge1);
}
