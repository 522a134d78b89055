// Arithmetic of the pixels of PQ, HLG and SDR video: light, PU21 and ICtCp, in floats that round by themselves
// (docs/spec/hdr.md 5). Light is in units of 10,000 cd/m2.
#pragma once

#include "kernel/kernel.h"
#include "metric/blocks/float_power.kernel.h"

#define HDR_PQ 0
#define HDR_HLG 1
#define HDR_SDR 2

#define HDR_NITS 10000.0f  // the unit of light

// Exponents 1 / m1 and m1 of PQ, and p3 of PU21; what multiplies logarithms.
CONSTANT(uint32_t, kHdrInverseM1) = 0x40c8e06bu;
CONSTANT(uint32_t, kHdrM1) = 0x3e232000u;
CONSTANT(uint32_t, kHdrInverseM2) = 0x3c4fcdacu;
CONSTANT(uint32_t, kHdrM2) = 0x429db000u;
CONSTANT(uint32_t, kPuPower) = 0x3f680069u;

// PU21's banding_glare, as A * (q^p4 - 1) of q = 1 + A1 (u - U0) / (1 + P2 u), which is 1 at the least luminance.
CONSTANT(uint32_t, kPuA1) = 0x458a06e2u;
CONSTANT(uint32_t, kPuU0) = 0x3602bf41u;
CONSTANT(uint32_t, kPuP2) = 0x3eb2b80cu;
CONSTANT(uint32_t, kPuP4) = 0x3dbb65f1u;
CONSTANT(uint32_t, kPuA) = 0x4407a788u;

// How encoded colors become light. SDR's curve has been applied before.
struct HdrCurve {
  int32_t transfer;
  float scale;          // the peak
  FloatExponent gamma;  // HLG: the system's, less 1
};

struct HdrColor {
  float red, green, blue;
};

FUNCTION(float) hdr_weighted(HdrColor color, float of_red, float of_green, float of_blue) {
  return (color.red * of_red + color.green * of_green) + color.blue * of_blue;
}

// A curve's value where `is_zero` does not say that it is 0; on numbers that the curve takes, so that no item waits for
// another.
FUNCTION(float) pq_light(float encoded) {
  const bool is_dark = encoded < 4.76837158203125e-7f;  // 2^-21
  const float v = is_dark ? 1.0f : encoded < 1.0f ? encoded : 1.0f;
  const FloatLog2 log2 = float_log2(v);
  const float h = float_exp2_less_1((log2.whole + log2.part) * bits_float(kHdrInverseM2));
  const float x = exact_divide_float(0.1640625f + h, 0.1640625f - 18.6875f * h);
  const bool is_black = is_dark || x < 0.000244140625f;  // 2^-12
  const float light = float_power(is_black ? 1.0f : x, float_exponent(bits_float(kHdrInverseM1)));
  return is_black ? 0.0f : light;
}

FUNCTION(float) pq_encoded(float light) {
  const bool is_black = light < 7.888609052210118e-31f;  // 2^-100
  const float power = float_power(is_black ? 1.0f : light, float_exponent(bits_float(kHdrM1)));
  const float w = is_black ? 0.0f : power;
  const float s = exact_divide_float(0.1640625f * (1.0f - w), 1.0f + 18.6875f * w);
  return float_exp2(bits_float(kHdrM2) * float_log2_of_1_and(-s));
}

// The scene's light.
FUNCTION(float) hlg_scene(float encoded) {
  const float v = encoded > 0.5f ? encoded : 0.5f;
  const float high = (float_exp2((v - bits_float(0x3f0f564fu)) * bits_float(0x4101139au)) + bits_float(0x3e91c020u)) *
                     bits_float(0x3daaaaabu);
  return encoded <= 0.5f ? (encoded * encoded) * bits_float(0x3eaaaaabu) : high;
}

FUNCTION(HdrColor) hlg_light(HdrColor encoded, HdrCurve curve) {
  const HdrColor scene = {hlg_scene(encoded.red), hlg_scene(encoded.green), hlg_scene(encoded.blue)};
  const float luminance = hdr_weighted(scene, 0.2627f, 0.6780f, 0.0593f);
  const bool is_black = luminance < 8.673617379884035e-19f;  // 2^-60
  const float power = float_power(is_black ? 1.0f : luminance, curve.gamma);
  const float factor = (is_black ? 0.0f : power) * curve.scale;
  const HdrColor light = {factor * scene.red, factor * scene.green, factor * scene.blue};
  return light;
}

FUNCTION(HdrColor) hdr_light(HdrColor encoded, HdrCurve curve) {
  HdrColor light = {encoded.red * curve.scale, encoded.green * curve.scale, encoded.blue * curve.scale};
  if (curve.transfer == HDR_PQ) {
    light.red = pq_light(encoded.red);
    light.green = pq_light(encoded.green);
    light.blue = pq_light(encoded.blue);
  }
  if (curve.transfer == HDR_HLG) light = hlg_light(encoded, curve);
  return light;
}

FUNCTION(float) pu_encoded(float light) {
  const float least = bits_float(0x350637bdu);  // 0.005 cd/m2
  const float y = light > least ? (light < 1.0f ? light : 1.0f) : least;
  const float u = float_power(y, float_exponent(bits_float(kPuPower)));
  const float t = exact_divide_float(bits_float(kPuA1) * (u - bits_float(kPuU0)), 1.0f + bits_float(kPuP2) * u);
  const float q = 1.0f + t;
  const int32_t whole = float_whole_log2(q);
  const float f = whole == 0 ? t : float_scaled(q, whole) - 1.0f;
  const float z = (float_of_whole(whole) + float_log2_of_1_and(f)) * bits_float(kPuP4);
  const float j = float_shifted(z) - FLOAT_WHOLE;
  return bits_float(kPuA) * (j + (1.0f + j) * float_exp2_less_1(z - j));
}

// Light of BT.709's primaries as that of BT.2020's (ITU-R BT.2087).
FUNCTION(HdrColor) hdr_bt2020(HdrColor light) {
  const HdrColor wide = {hdr_weighted(light, 0.6274f, 0.3293f, 0.0433f), hdr_weighted(light, 0.0691f, 0.9195f, 0.0114f),
                         hdr_weighted(light, 0.0164f, 0.0880f, 0.8956f)};
  return wide;
}

// What cones see, encoded by PQ.
FUNCTION(HdrColor) hdr_cones(HdrColor light, int32_t is_bt2020) {
  HdrColor wide = light;
  if (is_bt2020 == 0) wide = hdr_bt2020(light);
  const HdrColor cones = {pq_encoded(hdr_weighted(wide, 0.412109375f, 0.52392578125f, 0.06396484375f)),
                          pq_encoded(hdr_weighted(wide, 0.166748046875f, 0.720458984375f, 0.11279296875f)),
                          pq_encoded(hdr_weighted(wide, 0.024169921875f, 0.075439453125f, 0.900390625f))};
  return cones;
}

// The square of a difference in ICtCp, of what cones see.
FUNCTION(float) hdr_squared_difference(HdrColor reference, HdrColor distorted) {
  const HdrColor d = {reference.red - distorted.red, reference.green - distorted.green,
                      reference.blue - distorted.blue};
  const float i = (d.red + d.green) * 0.5f;
  const float t = hdr_weighted(d, 0.806884765625f, -1.6617431640625f, 0.8548583984375f);
  const float p = hdr_weighted(d, 4.378173828125f, -4.24560546875f, -0.132568359375f);
  return (i * i + t * t) + p * p;
}
