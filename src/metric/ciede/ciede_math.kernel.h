// Arithmetic of CIEDE2000 (docs/spec/siblings.md 6), which the reference implementation and the kernels share: from a
// pixel's samples to Lab, and the difference of two Lab colours. Powers, angles and the exponential are series of their
// own, without fused operations, so that vectors of any instruction set follow them step by step. What later
// subtractions magnify (Lab, chroma, hue) is as exact as a double allows before it is rounded to the float that libvmaf
// has; what comes after them is in floats.
#pragma once

#include "kernel/kernel.h"

// Numbers as the sums of two floats, where one float would shift the mean of a picture.
CONSTANT(float, kFullTurn) = 6.2831855f;
CONSTANT(float, kFullTurnLow) = -1.7484555e-7f;
CONSTANT(float, kAboveHalfTurn) = 3.1415927f;  // the first float beyond pi
CONSTANT(float, kDegree) = 57.29578f;
CONSTANT(float, kDegreeLow) = -6.6880244e-7f;
CONSTANT(float, kShareOf25) = 0.04f;
CONSTANT(float, kShareOf25Low) = 8.940697e-10f;
// The first of these have few bits, and the second change a rounded product.
CONSTANT(float, kSlopeC) = 0.0450439453125f;
CONSTANT(float, kSlopeCLow) = -4.3945314e-5f;
CONSTANT(float, kSlope) = 0.0150146484375f;  // of the weights of lightness and hue
CONSTANT(float, kSlopeLow) = -1.4648437e-5f;
CONSTANT(float, kWholeShift) = 12582912.0f;  // 1.5 * 2^23: x + it - it is x rounded
CONSTANT(float, kTiny) = 1e-30f;             // keeps 0 / 0 away

// Thresholds and factors of libvmaf's conversion. Of 2.4th powers the base is (c + 0.055) / 1.055, c
// being a colour from 0 to 1.
CONSTANT(double, kLightOffset) = DOUBLE(0.055) / DOUBLE(1.055);
CONSTANT(double, kLightThreshold) = (DOUBLE(10.0) / DOUBLE(255.0) + DOUBLE(0.055)) / DOUBLE(1.055);
CONSTANT(double, kLightSlope) = DOUBLE(1.055) / DOUBLE(12.92);
CONSTANT(double, kLabThreshold) = DOUBLE(216.0) / DOUBLE(24389.0);
CONSTANT(double, kLabSlope) = DOUBLE(24389.0) / DOUBLE(27.0) / DOUBLE(116.0);
CONSTANT(double, kLabOffset) = DOUBLE(16.0) / DOUBLE(116.0);
CONSTANT(double, kWhiteX) = DOUBLE(0.95047);
CONSTANT(double, kWhiteZ) = DOUBLE(1.08883);
// X, Y and Z by red, green and blue.
TABLE(double, kFromRed, 3) = {DOUBLE(0.4124564390896921) / kWhiteX, DOUBLE(0.21267285140562248),
                              DOUBLE(0.019333895582329317) / kWhiteZ};
TABLE(double, kFromGreen, 3) = {DOUBLE(0.357576077643909) / kWhiteX, DOUBLE(0.715152155287818),
                                DOUBLE(0.119192025881303) / kWhiteZ};
TABLE(double, kFromBlue, 3) = {DOUBLE(0.18043748326639894) / kWhiteX, DOUBLE(0.07217499330655958),
                               DOUBLE(0.9503040785363677) / kWhiteZ};

// Weights of lightness, chroma and hue in a difference.
CONSTANT(float, kWeightL) = 0.65f;
CONSTANT(float, kWeightC) = 1.0f;
CONSTANT(float, kWeightH) = 4.0f;

// Angles whose tangents are 1/16, 3/16 to 15/16, as a multiple of 2^-20 and the rest.
TABLE(float, kAngle, 8) = {0.062418938f, 0.18534756f, 0.30288506f, 0.41241074f,
                           0.5123892f,   0.6022873f,  0.6823168f,  0.75315094f};
TABLE(float, kAngleLow, 8) = {-1.2768714e-7f, 3.9292783e-7f, -1.8716702e-7f, -2.9448659e-7f,
                              2.772663e-7f,   5.3654496e-8f, -2.2521559e-7f, 3.4102078e-7f};
CONSTANT(float, kRight) = 1.570796f;  // pi/2 and pi, in the same way
CONSTANT(float, kRightLow) = 3.1391647e-7f;
CONSTANT(float, kHalfTurn) = 3.141593f;
CONSTANT(float, kHalfTurnLow) = -3.2584137e-7f;

// Series of atan(x) - x, sin(x) - x and e^x - 1 - x, each by its lowest power, and of the cosine
// from its fourth power on.
TABLE(float, kAtan, 3) = {-0.33333334f, 0.19999905f, -0.14220843f};
TABLE(float, kHalfSine, 5) = {-0.16666667f, 0.008333333f, -0.00019841087f, 2.7536464e-6f, -2.408019e-8f};
TABLE(float, kSine, 4) = {-0.16666667f, 0.008333332f, -0.00019840039f, 2.7243811e-6f};
TABLE(float, kCosine, 3) = {0.041666664f, -0.0013888279f, 2.4542896e-5f};
TABLE(float, kExp, 6) = {0.5f, 0.16666667f, 0.041666456f, 0.0083333105f, 0.0013934541f, 0.0001989198f};

// T (hue_weight) is a polynomial in the cosine plus the sine times another.
TABLE(float, kEven, 5) = {0.6689453125f, -1.1015625f, 1.2060546875f, 1.2734375f, -0.7265625f};
TABLE(float, kEvenLow, 5) = {0.00025658755f, -0.0004028382f, 0.0003301121f, -0.00044947394f, 0.00017770042f};
TABLE(float, kOdd, 4) = {-0.0517578125f, 0.712890625f, -0.1337890625f, -1.42578125f};
TABLE(float, kOddLow, 4) = {0.00020692074f, -8.540565e-5f, -7.370483e-6f, 0.0001708113f};

struct CiedeLab {
  float l, a, b, chroma;
};

// x^2.4 = (x r)^3 (1 - h)^-0.6 with r near x^-0.2 and h = 1 - x r^5. The exponent's fifth and one
// step in floats make r; |h| is below 4e-5.
FUNCTION(double) power_2_4(double x) {
  const float f = float(x);
  const float first = bits_float(1277931859u - uint32_t(int32_t(float(int32_t(float_bits(f))) * 0.2f)));
  const float square = first * first;
  const float rest = 1.0f - f * (square * square * first);
  const double r = double(first + first * (rest * (0.2f + rest * (0.12f + rest * (0.088f + rest * 0.0704f)))));
  const double xr = x * r;
  const double r2 = r * r;
  const double h = DOUBLE(1.0) - xr * (r2 * r2);
  const double cube = xr * xr * xr;
  return cube + cube * (h * (DOUBLE(0.6) + h * DOUBLE(0.48)));
}

// x^(1/3) = x r^2 (1 - h)^(-2/3) with r near x^(-1/3) and h = 1 - x r^3; |h| is below 6e-6.
FUNCTION(double) cube_root(double x) {
  const float f = float(x);
  const float first = bits_float(1419914954u - uint32_t(int32_t(float(int32_t(float_bits(f))) * 0.33333334f)));
  const float rest = 1.0f - f * (first * first * first);
  const double r =
      double(first + first * (rest * (0.33333334f + rest * (0.22222222f + rest * (0.17283951f + rest * 0.14403292f)))));
  const double root = x * (r * r);
  const double h = DOUBLE(1.0) - root * r;
  return root + root * (h * (DOUBLE(0.6666666666666666) + h * DOUBLE(0.5555555555555556)));
}

FUNCTION(double) linear_light(double x) {
  return x > kLightThreshold ? power_2_4(x) : (x - kLightOffset) * kLightSlope;
}

FUNCTION(double) lab_root(double t) {
  return double(float(t > kLabThreshold ? cube_root(t) : kLabSlope * t + kLabOffset));
}

// What a step of a sample adds to the base of a 2.4th power.
struct CiedeSteps {
  double luma, red_v, green_u, green_v, blue_u;
};

FUNCTION(CiedeSteps) steps_of(double unit) {
  const double luma = DOUBLE(1.0) / (DOUBLE(1.055) * DOUBLE(219.0)) / unit;
  const double chroma = DOUBLE(1.0) / (DOUBLE(1.055) * DOUBLE(224.0)) / unit;
  const CiedeSteps steps = {luma, DOUBLE(1.28033) * chroma, DOUBLE(0.21482) * chroma, DOUBLE(0.38059) * chroma,
                            DOUBLE(2.12798) * chroma};
  return steps;
}

FUNCTION(float) chroma_of(float a, float b) { return float(exact_sqrt(double(a) * double(a) + double(b) * double(b))); }

// Samples of limited range, less 16 or 128 units.
FUNCTION(CiedeLab) lab_of(double y, double u, double v, CiedeSteps steps) {
  const double base = y * steps.luma + kLightOffset;
  const double red = linear_light(base + v * steps.red_v);
  const double green = linear_light(base - (u * steps.green_u + v * steps.green_v));
  const double blue = linear_light(base + u * steps.blue_u);
  const double fx = lab_root(kFromRed[0] * red + kFromGreen[0] * green + kFromBlue[0] * blue);
  const double fy = lab_root(kFromRed[1] * red + kFromGreen[1] * green + kFromBlue[1] * blue);
  const double fz = lab_root(kFromRed[2] * red + kFromGreen[2] * green + kFromBlue[2] * blue);
  CiedeLab lab;
  lab.l = float(DOUBLE(116.0) * fy - DOUBLE(16.0));
  lab.a = float(DOUBLE(500.0) * (fx - fy));
  lab.b = float(DOUBLE(200.0) * (fy - fz));
  lab.chroma = chroma_of(lab.a, lab.b);
  return lab;
}

FUNCTION(float) size_of(float x) { return x < 0.0f ? -x : x; }

// a * b - product, which is exact: product is a * b rounded.
FUNCTION(float) product_error(float a, float b, float product) {
  return float(double(a) * double(b) - double(product));
}

// whole + part rounded once, whole and part each being a float and a small rest; |whole| >= |part|.
FUNCTION(float) add_turn(float whole, float whole_low, float part) {
  const float sum = whole + part;
  return sum + (((whole - sum) + part) + whole_low);
}

// The number at a place, for a table that devices would have to index by data.
FUNCTION(float)
pick(int32_t place, float e0, float e1, float e2, float e3, float e4, float e5, float e6, float e7) {
  const bool odd = (place & 1) != 0;
  const float low = (place & 2) != 0 ? (odd ? e3 : e2) : (odd ? e1 : e0);
  const float high = (place & 2) != 0 ? (odd ? e7 : e6) : (odd ? e5 : e4);
  return place >= 4 ? high : low;
}

FUNCTION(float) angle_at(int32_t place) {
  return pick(place, kAngle[0], kAngle[1], kAngle[2], kAngle[3], kAngle[4], kAngle[5], kAngle[6], kAngle[7]);
}

FUNCTION(float) angle_low_at(int32_t place) {
  return pick(place, kAngleLow[0], kAngleLow[1], kAngleLow[2], kAngleLow[3], kAngleLow[4], kAngleLow[5], kAngleLow[6],
              kAngleLow[7]);
}

// The angle of (a, b) in [0, 2 pi], as libvmaf rounds it: first that in (-pi, pi], then the one that
// is a turn more. The tangent of what the angle has beyond the table's is a quotient.
FUNCTION(float) hue_of(float a, float b) {
  const float a_size = size_of(a);
  const float b_size = size_of(b);
  const bool steep = b_size > a_size;
  const bool left = a < 0.0f;
  const float less = steep ? a_size : b_size;
  const float most = steep ? b_size : a_size;
  const float more = most > kTiny ? most : kTiny;
  const float eighths = exact_divide_float(less, more) * 8.0f;
  const float under = eighths < 7.5f ? eighths : 7.5f;
  const int32_t place = int32_t(under);
  const float side = steep != left ? -1.0f : 1.0f;
  const double y = double(side * less);
  const double tangent = double(side * (float(place) * 0.125f + 0.0625f));
  const double rest = exact_divide(y - tangent * double(more), double(more) + tangent * y);
  const float x = float(rest);
  const float w = x * x;
  const float bend = (x * w) * (kAtan[0] + w * (kAtan[1] + w * kAtan[2]));
  const float high = (steep ? kRight : (left ? kHalfTurn : 0.0f)) + side * angle_at(place);
  const float low = (steep ? kRightLow : (left ? kHalfTurnLow : 0.0f)) + (side * angle_low_at(place) + bend);
  const float angle = float(double(high) + (rest + double(low)));
  return b < 0.0f ? add_turn(kFullTurn, kFullTurnLow, -angle) : angle;
}

// sin(x) - x, |x| up to pi/2.
FUNCTION(float) sine_rest(float x) {
  const float w = x * x;
  return (x * w) * (kHalfSine[0] + w * (kHalfSine[1] + w * (kHalfSine[2] + w * (kHalfSine[3] + w * kHalfSine[4]))));
}

// T: 1 - 0.17 cos(h - 30) + 0.24 cos(2h) + 0.32 cos(3h + 6) - 0.20 cos(4h - 63), h >= 0, in degrees.
FUNCTION(float) hue_weight(float hue) {
  const float shifted = hue * 0.63661975f + kWholeShift;
  const float whole = shifted - kWholeShift;
  const uint32_t quarter = float_bits(shifted);
  const float r = ((hue - whole * 1.5703125f) - whole * 0.0004838109f) - whole * 1.5893255e-8f;
  const float w = r * r;
  const float sine = r + (r * w) * (kSine[0] + w * (kSine[1] + w * (kSine[2] + w * kSine[3])));
  const float cosine = 1.0f - w * (0.5f - w * (kCosine[0] + w * (kCosine[1] + w * kCosine[2])));
  const bool odd = (quarter & 1u) != 0u;
  const float c_size = odd ? sine : cosine;
  const float s_size = odd ? cosine : sine;
  const float c = ((quarter + 1u) & 2u) != 0u ? -c_size : c_size;
  const float s = (quarter & 2u) != 0u ? -s_size : s_size;
  const float even = kEven[0] + c * (kEven[1] + c * (kEven[2] + c * (kEven[3] + c * kEven[4])));
  const float odd_part = kOdd[0] + c * (kOdd[1] + c * (kOdd[2] + c * kOdd[3]));
  const float even_low = kEvenLow[0] + c * (kEvenLow[1] + c * (kEvenLow[2] + c * (kEvenLow[3] + c * kEvenLow[4])));
  const float odd_low = kOddLow[0] + c * (kOddLow[1] + c * (kOddLow[2] + c * kOddLow[3]));
  return (even + s * odd_part) + (even_low + s * odd_low);
}

// e^-x, 0 <= x <= 25.
FUNCTION(float) decay(float x) {
  const float shifted = x * 1.442695f + kWholeShift;
  const float whole = shifted - kWholeShift;
  const float r = (whole * 0.69317627f - x) - whole * 2.9088971e-5f;
  const float series = kExp[0] + r * (kExp[1] + r * (kExp[2] + r * (kExp[3] + r * (kExp[4] + r * kExp[5]))));
  const float scale = bits_float((127u << 23) - (float_bits(shifted) << 23));
  return scale * (1.0f + (r + (r * r) * series));
}

FUNCTION(float) times(float x, float factor, float factor_low) {
  const float product = x * factor;
  return product + (product_error(x, factor, product) + x * factor_low);
}

// The square of the distance from the blue region's middle, in 25 degrees.
FUNCTION(float) blue_distance(float mean_hue) {
  const float distance = times(times(mean_hue, kDegree, kDegreeLow) - 275.0f, kShareOf25, kShareOf25Low);
  return distance * distance;
}

// Rotation of the blue region. Beyond a distance of 25, where it is below 3e-11, and for grey colours, where it is
// below 6e-12, it is 0.
CONSTANT(float, kBlueEnd) = 25.0f;
CONSTANT(float, kGreyEnd) = 0.015625f;
FUNCTION(float) rotation(float mean_chroma, float distance) {
  if (!(distance < kBlueEnd) || !(mean_chroma > kGreyEnd)) return 0.0f;
  const float radians = 1.0471976f * decay(distance);
  const float chroma2 = mean_chroma * mean_chroma;
  const float power = chroma2 * chroma2 * chroma2 * mean_chroma;
  const float share = exact_divide_float(power, power + 6103515625.0f);
  return -2.0f * exact_sqrt_float(share) * (radians + sine_rest(radians));
}

// The factor of a by the mean chroma: 1 + G in the CIE's definition.
FUNCTION(double) stretch_of(float mean_chroma) {
  const double x = double(mean_chroma);
  const double x2 = x * x;
  const double power = x2 * x2 * x2 * x;
  const double root = exact_sqrt(exact_divide(power, power + DOUBLE(6103515625.0)));
  return DOUBLE(1.5) - DOUBLE(0.5) * root;
}

// 1 + x * slope.
FUNCTION(float) scale_of(float x, float slope, float slope_low) { return 1.0f + (x * slope + x * slope_low); }

FUNCTION(float) lightness_scale(float l1, float l2) {
  const float offset = (l1 + l2) * 0.5f - 50.0f;
  const float square = offset * offset;
  return scale_of(exact_divide_float(square, exact_sqrt_float(20.0f + square)), kSlope, kSlopeLow);
}

// 2 sqrt(product) sin(x), from the square root and the sine as two floats each.
FUNCTION(float) hue_length(float product, float x) {
  const float root = exact_sqrt_float(product);
  const float root_rest = -product_error(root, root, product) * exact_divide_float(0.5f, root + kTiny);
  const float length = root * x;
  const float rest = product_error(root, x, length) + (root * sine_rest(x) + root_rest * x);
  return 2.0f * (length + rest);
}

FUNCTION(float) colour_difference(CiedeLab reference, CiedeLab distorted) {
  const double stretch = stretch_of((reference.chroma + distorted.chroma) * 0.5f);
  const float a1 = float(double(reference.a) * stretch);
  const float a2 = float(double(distorted.a) * stretch);
  const float chroma1 = chroma_of(a1, reference.b);
  const float chroma2 = chroma_of(a2, distorted.b);
  const float mean_chroma = (chroma1 + chroma2) * 0.5f;

  const float hue1 = hue_of(a1, reference.b);
  const float hue2 = hue_of(a2, distorted.b);
  const bool across = size_of(hue1 - hue2) >= kAboveHalfTurn;
  const float near_step = hue2 - hue1;
  const bool forward = hue2 <= hue1;
  const float far_step = add_turn(forward ? kFullTurn : -kFullTurn, forward ? kFullTurnLow : -kFullTurnLow, near_step);
  const float hue_step = across ? far_step : near_step;
  const float sum = hue1 + hue2;
  const float far_sum =
      sum < kFullTurn ? add_turn(kFullTurn, kFullTurnLow, sum) : add_turn(sum, kFullTurnLow, kFullTurn);
  const float mean_hue = (across ? far_sum : sum) * 0.5f;

  const float scale_l = lightness_scale(reference.l, distorted.l);
  const float scale_c = scale_of(mean_chroma, kSlopeC, kSlopeCLow);
  const float scale_h = scale_of(mean_chroma * hue_weight(mean_hue), kSlope, kSlopeLow);
  const float l = exact_divide_float(distorted.l - reference.l, kWeightL * scale_l);
  const float c = exact_divide_float(chroma2 - chroma1, kWeightC * scale_c);
  const float h = exact_divide_float(hue_length(chroma1 * chroma2, hue_step * 0.5f), kWeightH * scale_h);
  const float turned = rotation(mean_chroma, blue_distance(mean_hue)) * c * h;
  return exact_sqrt_float(((l * l + c * c) + h * h) + turned);
}
