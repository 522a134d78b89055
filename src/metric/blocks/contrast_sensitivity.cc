#include "metric/blocks/contrast_sensitivity.h"

#include <cmath>

#include "math/exact_math.h"

namespace acutance {
namespace {

float QuantizationFactor(int scale, float pixels_per_degree, float orientation, float amplitude) {
  constexpr float kA = 0.495f, kK = 0.466f, kF0 = 0.401f;
  const float t = static_cast<float>(Log10(std::ldexp(1.0, scale + 1) * kF0 * orientation / pixels_per_degree));
  const float kt = kK * t;
  const float exponent = kt * t;
  const float step = static_cast<float>(2.0 * kA * Pow(10.0, static_cast<double>(exponent)) / amplitude);
  return 1.0f / step;
}

// Barten's fit depends on luminance through anchors; 100 lies between the last two.

float Interpolate(float left_pos, float left, float right_pos, float right, float pos) {
  return left + ((right - left) / (right_pos - left_pos)) * (pos - left_pos);
}

float OpticalTransfer(float frequency) {
  constexpr float kAmplitude[] = {0.424838596301290f, 0.572435103936480f, 0.000167576239164937f, 0.00255872352306433f};
  constexpr float kRate[] = {0.028f, 0.37f, 37.f, 360.f};
  float sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = static_cast<float>(sum + kAmplitude[i] * Exp(static_cast<double>(-kRate[i] * frequency)));
  return sum;
}

}  // namespace

float PixelsPerDegree(double view_distance, int display_height) {
  constexpr double kPi = 3.14159265358979323846;
  return static_cast<float>(view_distance * display_height * kPi / 180.0);
}

float Watson97(int scale, float pixels_per_degree, bool is_diagonal) {
  constexpr float kAmplitudeHv[] = {0.67234f, 0.41317f, 0.22727f, 0.11792f};
  constexpr float kAmplitudeD[] = {0.72709f, 0.49428f, 0.28688f, 0.15214f};
  if (is_diagonal) return QuantizationFactor(scale, pixels_per_degree, 0.534f, kAmplitudeD[scale]);
  return QuantizationFactor(scale, pixels_per_degree, 1.0f, kAmplitudeHv[scale]);
}

float Barten(int scale, float pixels_per_degree, double csf_scale) {
  constexpr double kLuminance = 100;
  constexpr float kAt20[] = {0.334278f, 3.79542f, 1.07327f, 6.4635f};
  constexpr float kAt150[] = {0.394533f, 2.7755f, 1.16577f, 7.45665f};
  const float left = static_cast<float>(Log10(20.0));
  const float right = static_cast<float>(Log10(150.0));
  const float pos = static_cast<float>(Log10(kLuminance));
  float p[4];
  for (int i = 0; i < 4; ++i) p[i] = Interpolate(left, kAt20[i], right, kAt150[i], pos);

  const float s = static_cast<float>(pixels_per_degree / std::ldexp(1.0, scale + 1));
  const float a = static_cast<float>(1.0 + Pow(static_cast<double>(p[0] * s), static_cast<double>(p[1])));
  const double cut = static_cast<double>(s / 7.f);
  const double low = 1 - Exp(-(cut * cut));
  const float b = static_cast<float>(1.0 / Pow(low, static_cast<double>(p[2])));
  const float csf = static_cast<float>(p[3] / Pow(static_cast<double>(a * b), 0.5));
  const double adaptation =
      Pow(static_cast<double>(4.0627f / static_cast<float>(kLuminance)), static_cast<double>(1.6596f)) + 1;
  const float rc = static_cast<float>(30.162f * Pow(adaptation, -static_cast<double>(0.2712f)));
  return static_cast<float>(static_cast<double>(csf * OpticalTransfer(s) * rc) * csf_scale);
}

}  // namespace acutance
