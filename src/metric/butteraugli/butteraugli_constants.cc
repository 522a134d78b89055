// Weights of blurs and differences, and halving (docs/spec/beyond.md 4.2, 4.5, 4.6, 4.8).
#include <algorithm>
#include <cmath>

#include "math/exact_math.h"
#include "metric/butteraugli/butteraugli.h"

namespace acutance {
namespace {

ButteraugliBand Band(double weight, double norm, bool dense, double squares = 0) {
  const double factor = dense ? 0.39905817637 : 0.611612573796;
  constexpr double kLength = 8.5;
  const auto root = [&](double part) { return static_cast<float>(factor * std::sqrt(part * weight) / kLength * norm); };
  const float square = static_cast<float>(double{static_cast<float>(squares)} * 0.8);
  return {{static_cast<float>(norm), root(0.5), root(double{0.33f})}, square, square};
}

}  // namespace

ButteraugliBlur::ButteraugliBlur(double sigma) {
  const float rounded = static_cast<float>(sigma);
  radius = std::max(1, static_cast<int>(2.25f * rounded));
  const double exponent = -1.0 / (2.0 * double{rounded} * double{rounded});
  float sum = 0.0f;
  for (int i = -radius; i <= radius; ++i) {
    whole.push_back(static_cast<float>(Exp(exponent * i * i)));
    sum += whole.back();
  }
  const float scale = 1.0f / sum;
  for (int i = 0; i <= radius; ++i) inside.push_back(whole[i] * scale);
}

float ButteraugliBlur::Share(int position, int size) const {
  float sum = 0.0f;
  for (int j = std::max(0, position - radius); j <= std::min(size - 1, position + radius); ++j)
    sum += whole[j - position + radius];
  return 1.0f / sum;
}

ButteraugliConstants::ButteraugliConstants()
    : around(1.2),
      highest(1.56416327805),
      mask(2.7),
      high(3.22489901262),
      low(7.15593339443),
      highest_band{Band(173.5, 5.0, true), Band(1.10039032555, 71.7800275169, true)},
      high_band{Band(6923.99476109, 8051.15833247, false, 400.0),
                Band(18.7237414387, 4498534.45232, false, 1.50815703118)},
      middle_band{Band(8246.75321353, 1009002.70582, false), Band(37.0819870399, 130262059.556, false)},
      middle_squares{2150.0f, 10.6195433239f, 16.2176043152f},
      low_squares{29.2353797994f, 0.844626970982f, 0.703646627719f} {}

const ButteraugliConstants& GetButteraugliConstants() {
  static const ButteraugliConstants constants;
  return constants;
}

void HalveButteraugliRow(const FloatColors& from, int plane, int y, int begin, float* to) {
  const bool has_below = 2 * y + 1 < from.height;
  const float* above = from.Row(plane, 2 * y);
  const float* below = has_below ? from.Row(plane, 2 * y + 1) : above;
  const int pairs = from.width / 2;
  for (int x = begin; x < pairs; ++x)
    to[x] = butteraugli::halved(above[2 * x], above[2 * x + 1], below[2 * x], below[2 * x + 1], has_below);
  if (from.width % 2 != 0) to[pairs] = butteraugli::halved_at_right(above[2 * pairs], below[2 * pairs], has_below);
}

}  // namespace acutance
