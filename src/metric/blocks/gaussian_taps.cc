#include "metric/blocks/gaussian_taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr float kKernelScales[] = {1.0f,     0.5f,     1.5f,      2.0f,      2.0f / 3,  2.4f,      360.0f / 97,
                                   4.0f / 3, 3.5f / 3, 3.75f / 3, 4.25f / 3, 5.0f / 3,  3.0f,      1.0f / 2.25f,
                                   1.4746f,  1.54f,    1.6f,      1.06667f,  0.711111f, 0.740740f, 1.111111f};
constexpr float kScaleTolerance = 1e-3f;

}  // namespace

Result<float> CheckKernelScale(std::string_view option, double scale) {
  const float value = static_cast<float>(scale);
  for (const float known : kKernelScales)
    if (std::fabs(value - known) < kScaleTolerance) return value;
  return Error(StatusCode::kInvalidArgument,
               "option {}: {:g} is none of the scales that libvmaf knows: 0.444444, 0.5, 0.666667, 0.711111, 0.74074, "
               "1, 1.06667, 1.11111, 1.16667, 1.25, 1.33333, 1.41667, 1.4746, 1.5, 1.54, 1.6, 1.66667, 2, 2.4, 3 and "
               "3.71134",
               option, scale);
}

int OddTapCount(float size) {
  const int taps = static_cast<int>(std::ceil(size));
  return std::max(taps + (taps % 2 == 0), 3);
}

std::vector<float> GaussianTaps(int count, float sigma) {
  const double s = sigma;
  const float height = static_cast<float>(1.0 / (s * std::sqrt(2.0 * std::numbers::pi)));
  std::vector<float> taps;
  float sum = 0;
  const int middle = count / 2;
  for (int i = 0; i < count; ++i) {
    const double x = i - middle;
    taps.push_back(static_cast<float>(Exp(-0.5 * x / s * x / s)) / height);
    sum += taps.back();
  }
  for (float& tap : taps) tap /= sum;
  return taps;
}

}  // namespace acutance
