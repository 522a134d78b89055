// Arithmetic of CIEDE2000 (docs/spec/siblings.md 6), which the reference implementation and the
// kernels share: from a pixel's samples to Lab, and the difference of two Lab colours. Powers,
// angles and the exponential are series of their own, without fused operations, so that vectors of
// any instruction set follow them step by step; ciede_test.cc holds their errors below 2e-15.
#pragma once

#include "kernel/kernel.h"

CONSTANT(double, kHalfPiHigh) = DOUBLE(1.5707963267341256);  // 33 bits
CONSTANT(double, kHalfPiLow) = DOUBLE(6.077100506506192e-11);
CONSTANT(double, kTurn) = DOUBLE(6.283185307179586);
CONSTANT(double, kHalfTurn) = DOUBLE(3.141592653589793);
CONSTANT(double, kWholeShift) = DOUBLE(6755399441055744.0);  // 1.5 * 2^52: x + it - it is x rounded

// Thresholds and factors of libvmaf's conversion.
CONSTANT(double, kLightThreshold) = DOUBLE(10.0) / DOUBLE(255.0);
CONSTANT(double, kLightScale) = DOUBLE(1.0) / DOUBLE(1.055);
CONSTANT(double, kLightSlope) = DOUBLE(1.0) / DOUBLE(12.92);
CONSTANT(double, kLabThreshold) = DOUBLE(216.0) / DOUBLE(24389.0);
CONSTANT(double, kLabSlope) = DOUBLE(24389.0) / DOUBLE(27.0);
CONSTANT(double, kLabScale) = DOUBLE(1.0) / DOUBLE(116.0);
CONSTANT(double, kWhiteX) = DOUBLE(1.0) / DOUBLE(0.95047);
CONSTANT(double, kWhiteZ) = DOUBLE(1.0) / DOUBLE(1.08883);

// Weights of lightness, chroma and hue in a difference.
CONSTANT(float, kWeightL) = 0.65f;
CONSTANT(float, kWeightC) = 1.0f;
CONSTANT(float, kWeightH) = 4.0f;

TABLE(double, kAtan, 9) = {DOUBLE(-0.3333333333333092),  DOUBLE(0.19999999997723208),  DOUBLE(-0.14285713930151892),
                           DOUBLE(0.11111089637647514),  DOUBLE(-0.09090255665139077), DOUBLE(0.07681041344029722),
                           DOUBLE(-0.06550878776298272), DOUBLE(0.05168725600039612),  DOUBLE(-0.027231188880779692)};
TABLE(double, kHalfSine, 7) = {DOUBLE(-0.1666666666666665),     DOUBLE(0.008333333333325933),
                               DOUBLE(-0.00019841269836468785), DOUBLE(2.755731805563933e-06),
                               DOUBLE(-2.505197291751236e-08),  DOUBLE(1.605097208434129e-10),
                               DOUBLE(-7.408052534952146e-13)};
TABLE(double, kSine, 6) = {DOUBLE(-0.16666666666666666),    DOUBLE(0.008333333333330948),
                           DOUBLE(-0.00019841269836756774), DOUBLE(2.7557316101617874e-06),
                           DOUBLE(-2.505113165023518e-08),  DOUBLE(1.5918115263265974e-10)};
TABLE(double, kCosine, 5) = {DOUBLE(0.04166666666666468), DOUBLE(-0.0013888888887276698), DOUBLE(2.480158521036455e-05),
                             DOUBLE(-2.755636950618061e-07), DOUBLE(2.0700582941271302e-09)};
TABLE(double, kExp, 9) = {DOUBLE(0.5),
                          DOUBLE(0.16666666666648156),
                          DOUBLE(0.041666666666651246),
                          DOUBLE(0.008333333353839834),
                          DOUBLE(0.0013888888905973543),
                          DOUBLE(0.0001984120851210209),
                          DOUBLE(2.480153620505534e-05),
                          DOUBLE(2.7625237795740734e-06),
                          DOUBLE(2.761390867578487e-07)};

struct CiedeLab {
  float l;
  float a;
  float b;
};

// x^2.4 = (x r)^3 (1 - h)^-0.6 with r near x^-0.2 and h = 1 - x r^5. The exponent's fifth and one
// step in floats make r; |h| is below 1e-4.
FUNCTION(double) power_2_4(double x) {
  const float f = float(x);
  const float first = bits_float(1277931859u - uint32_t(int32_t(float(int32_t(float_bits(f))) * 0.2f)));
  const float square = first * first;
  const float rest = 1.0f - f * (square * square * first);
  const double r = double(first + first * (rest * (0.2f + rest * (0.12f + rest * (0.088f + rest * 0.0704f)))));
  const double r2 = r * r;
  const double h = DOUBLE(1.0) - x * (r2 * r2 * r);
  const double xr = x * r;
  const double cube = xr * xr * xr;
  return cube + cube * (h * (DOUBLE(0.6) + h * (DOUBLE(0.48) + h * DOUBLE(0.416))));
}

// x^(1/3) = x r^2 (1 - h)^(-2/3) with r near x^(-1/3) and h = 1 - x r^3.
FUNCTION(double) cube_root(double x) {
  const float f = float(x);
  const float first = bits_float(1419914954u - uint32_t(int32_t(float(int32_t(float_bits(f))) * 0.33333334f)));
  const float rest = 1.0f - f * (first * first * first);
  const double r =
      double(first + first * (rest * (0.33333334f + rest * (0.22222222f + rest * (0.17283951f + rest * 0.14403292f)))));
  const double r2 = r * r;
  const double h = DOUBLE(1.0) - x * (r2 * r);
  const double root = x * r2;
  return root +
         root * (h * (DOUBLE(0.6666666666666666) + h * (DOUBLE(0.5555555555555556) + h * DOUBLE(0.49382716049382713))));
}

FUNCTION(double) linear_light(double c) {
  return c > kLightThreshold ? power_2_4((c + DOUBLE(0.055)) * kLightScale) : c * kLightSlope;
}

FUNCTION(float) lab_root(double t) {
  return t > kLabThreshold ? float(cube_root(t)) : float((kLabSlope * t + DOUBLE(16.0)) * kLabScale);
}

// y in 0 to 1 and u, v in -0.5 to 0.5, limited range: samples less 16 or 128, over 219 or 224.
FUNCTION(CiedeLab) lab_of(double y, double u, double v) {
  const double red = linear_light(y + DOUBLE(1.28033) * v);
  const double green = linear_light(y - DOUBLE(0.21482) * u - DOUBLE(0.38059) * v);
  const double blue = linear_light(y + DOUBLE(2.12798) * u);
  const double x =
      DOUBLE(0.4124564390896921) * red + DOUBLE(0.357576077643909) * green + DOUBLE(0.18043748326639894) * blue;
  const double luminance =
      DOUBLE(0.21267285140562248) * red + DOUBLE(0.715152155287818) * green + DOUBLE(0.07217499330655958) * blue;
  const double z =
      DOUBLE(0.019333895582329317) * red + DOUBLE(0.119192025881303) * green + DOUBLE(0.9503040785363677) * blue;
  const double fx = double(lab_root(x * kWhiteX));
  const double fy = double(lab_root(luminance));
  const double fz = double(lab_root(z * kWhiteZ));
  CiedeLab lab;
  lab.l = float(DOUBLE(116.0) * fy - DOUBLE(16.0));
  lab.a = float(DOUBLE(500.0) * (fx - fy));
  lab.b = float(DOUBLE(200.0) * (fy - fz));
  return lab;
}

FUNCTION(float) chroma_of(float a, float b) { return float(exact_sqrt(double(a) * double(a) + double(b) * double(b))); }

FUNCTION(double) seventh_power(double x) {
  const double x2 = x * x;
  return x2 * x2 * x2 * x;
}

// The angle of (x, y) in (-pi, pi]; 0 for the origin.
FUNCTION(double) angle_of(double y, double x) {
  const double y_size = y < DOUBLE(0.0) ? -y : y;
  const double x_size = x < DOUBLE(0.0) ? -x : x;
  const double more = y_size > x_size ? y_size : x_size;
  const double less = y_size > x_size ? x_size : y_size;
  const bool wide = less > more * DOUBLE(0.41421356237309503);  // beyond pi/8: turned back by pi/4
  const double over = wide ? less - more : less;
  const double under = wide ? less + more : more;
  const double t = under > DOUBLE(0.0) ? exact_divide(over, under) : DOUBLE(0.0);
  const double w = t * t;
  double series = kAtan[8];
  UNROLL for (int32_t i = 7; i >= 0; --i) series = kAtan[i] + w * series;
  double angle = t + t * (w * series);
  if (wide) angle = angle + DOUBLE(0.7853981633974483);
  if (y_size > x_size) angle = DOUBLE(1.5707963267948966) - angle;
  if (x < DOUBLE(0.0)) angle = kHalfTurn - angle;
  return y < DOUBLE(0.0) ? -angle : angle;
}

// |x| up to pi/2.
FUNCTION(double) half_sine(double x) {
  const double w = x * x;
  double series = kHalfSine[6];
  UNROLL for (int32_t i = 5; i >= 0; --i) series = kHalfSine[i] + w * series;
  return x + x * (w * series);
}

FUNCTION(float) hue_of(float a, float b) {
  const float hue = float(angle_of(double(b), double(a)));
  return hue < 0.0f ? float(double(hue) + kTurn) : hue;
}

// T: 1 - 0.17 cos(h - 30) + 0.24 cos(2h) + 0.32 cos(3h + 6) - 0.20 cos(4h - 63), h >= 0, in
// degrees.
FUNCTION(float) hue_weight(double hue) {
  const double shifted = hue * DOUBLE(0.6366197723675814) + kWholeShift;
  const double whole = shifted - kWholeShift;
  const uint32_t quarter = uint32_t(double_bits(shifted));
  const double r = (hue - whole * kHalfPiHigh) - whole * kHalfPiLow;
  const double w = r * r;
  double sine = kSine[5];
  UNROLL for (int32_t i = 4; i >= 0; --i) sine = kSine[i] + w * sine;
  sine = r + r * (w * sine);
  double cosine = kCosine[4];
  UNROLL for (int32_t i = 3; i >= 0; --i) cosine = kCosine[i] + w * cosine;
  cosine = DOUBLE(1.0) - w * (DOUBLE(0.5) - w * cosine);
  const bool odd = (quarter & 1u) != 0u;
  const double c_size = odd ? sine : cosine;
  const double s_size = odd ? cosine : sine;
  const double c = ((quarter + 1u) & 2u) != 0u ? -c_size : c_size;
  const double s = (quarter & 2u) != 0u ? -s_size : s_size;
  const double c2 = DOUBLE(1.0) - DOUBLE(2.0) * (s * s);
  const double s2 = DOUBLE(2.0) * (s * c);
  const double c3 = c * c2 - s * s2;
  const double s3 = s * c2 + c * s2;
  const double c4 = DOUBLE(1.0) - DOUBLE(2.0) * (s2 * s2);
  const double s4 = DOUBLE(2.0) * (s2 * c2);
  const double once = c * DOUBLE(0.8660254037844386) + s * DOUBLE(0.5);
  const double thrice = c3 * DOUBLE(0.9945218953682733) - s3 * DOUBLE(0.10452846326765347);
  const double four_times = c4 * DOUBLE(0.4539904997395468) + s4 * DOUBLE(0.8910065241883679);
  return float(DOUBLE(1.0) - DOUBLE(0.17) * once + DOUBLE(0.24) * c2 + DOUBLE(0.32) * thrice -
               DOUBLE(0.20) * four_times);
}

// e^-x, x >= 0. Beyond 40 it counts as 40, where the rotation term is far below a last place.
FUNCTION(double) decay(double x) {
  const double size = x < DOUBLE(40.0) ? x : DOUBLE(40.0);
  const double shifted = size * DOUBLE(1.4426950408889634) + kWholeShift;
  const double whole = shifted - kWholeShift;
  const double r = (whole * DOUBLE(0.6931471804855391) - size) + whole * DOUBLE(7.440617110012397e-11);
  double series = kExp[8];
  UNROLL for (int32_t i = 7; i >= 0; --i) series = kExp[i] + r * series;
  const double scale = bits_double((uint64_t(1023u) << 52) - (double_bits(shifted) << 52));
  return scale * (DOUBLE(1.0) + (r + r * r * series));
}

// Rotation of the blue region.
FUNCTION(float) rotation(float mean_chroma, float mean_hue) {
  const float degrees = float(double(mean_hue) * DOUBLE(57.29577951308232));
  const float distance = float((double(degrees) - DOUBLE(275.0)) * DOUBLE(0.04));
  const float angle = float(DOUBLE(60.0) * decay(double(distance * distance)));
  const float power = float(seventh_power(double(mean_chroma)));
  const float share = exact_divide_float(power, power + 6103515625.0f);
  const float radians = float(double(angle) * DOUBLE(0.017453292519943295));
  return float(DOUBLE(-2.0) * exact_sqrt(double(share)) * half_sine(double(radians)));
}

FUNCTION(float) colour_difference(CiedeLab reference, CiedeLab distorted) {
  const float chroma1 = chroma_of(reference.a, reference.b);
  const float chroma2 = chroma_of(distorted.a, distorted.b);
  const double power = seventh_power(double((chroma1 + chroma2) * 0.5f));
  const double g = DOUBLE(1.0) - exact_sqrt(exact_divide(power, power + DOUBLE(6103515625.0)));
  const float a1 = float(double(reference.a) + double(reference.a * 0.5f) * g);
  const float a2 = float(double(distorted.a) + double(distorted.a * 0.5f) * g);
  const float stretched1 = chroma_of(a1, reference.b);
  const float stretched2 = chroma_of(a2, distorted.b);
  const float mean_chroma = (stretched1 + stretched2) * 0.5f;

  const float hue1 = hue_of(a1, reference.b);
  const float hue2 = hue_of(a2, distorted.b);
  const float gap = hue1 - hue2;
  const bool across = double(gap < 0.0f ? -gap : gap) > kHalfTurn;
  float hue_step = hue2 - hue1;
  if (across) hue_step = float(double(hue_step) + (hue2 <= hue1 ? kTurn : -kTurn));
  if (chroma1 == 0.0f || chroma2 == 0.0f) hue_step = 0.0f;
  const float sum = hue1 + hue2;
  const float mean_hue = across ? float((double(sum) + kTurn) * DOUBLE(0.5)) : sum * 0.5f;

  const float offset = (reference.l + distorted.l) * 0.5f - 50.0f;
  const double offset2 = double(offset) * double(offset);
  const float scale_l = float(DOUBLE(1.0) + exact_divide(DOUBLE(0.015) * offset2, exact_sqrt(DOUBLE(20.0) + offset2)));
  const float scale_c = float(DOUBLE(1.0) + DOUBLE(0.045) * double(mean_chroma));
  const float weight = hue_weight(double(mean_hue));
  const float scale_h = float(DOUBLE(1.0) + DOUBLE(0.015) * double(mean_chroma) * double(weight));
  const float hue_length =
      float(DOUBLE(2.0) * exact_sqrt(double(stretched1 * stretched2)) * half_sine(double(hue_step * 0.5f)));
  const float l = exact_divide_float(distorted.l - reference.l, kWeightL * scale_l);
  const float c = exact_divide_float(stretched2 - stretched1, kWeightC * scale_c);
  const float h = exact_divide_float(hue_length, kWeightH * scale_h);
  const float turned = rotation(mean_chroma, mean_hue) * c * h;
  return float(exact_sqrt(double(l) * double(l) + double(c) * double(c) + double(h) * double(h) + double(turned)));
}
