#include "report/page_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/picture_image.h"

namespace acutance {
namespace {

constexpr double kSteps = 65534;
constexpr int kMissing = 65535;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Append(double value, const PackedCurve& curve, std::string& words) {
  int word = kMissing;
  if (std::isfinite(value))
    word = curve.high > curve.low
               ? static_cast<int>(std::lround((value - curve.low) / (curve.high - curve.low) * kSteps))
               : 0;
  words += static_cast<char>(word & 255);
  words += static_cast<char>(word >> 8);
}

}  // namespace

PackedCurve PackCurve(const std::vector<std::optional<double>>& scores, int64_t frames, int64_t step) {
  const auto usable = [](const std::optional<double>& score) { return score && std::isfinite(*score); };
  PackedCurve curve{kInfinity, -kInfinity, step, {}, {}};
  const int64_t count = std::min<int64_t>(frames, static_cast<int64_t>(scores.size()));
  for (int64_t i = 0; i < count; ++i)
    if (usable(scores[i])) {
      curve.low = std::min(curve.low, *scores[i]);
      curve.high = std::max(curve.high, *scores[i]);
    }
  if (curve.low > curve.high) curve.low = curve.high = 0;
  std::string minima, maxima;
  for (int64_t first = 0; first < frames; first += step) {
    double low = kInfinity, high = -kInfinity;
    for (int64_t i = first; i < std::min(first + step, count); ++i)
      if (usable(scores[i])) {
        low = std::min(low, *scores[i]);
        high = std::max(high, *scores[i]);
      }
    Append(low, curve, minima);
    if (step > 1) Append(high, curve, maxima);
  }
  curve.minimum = Base64(minima);
  curve.maximum = Base64(maxima);
  return curve;
}

int64_t StepOf(int64_t frames, int64_t curves, int64_t most) {
  const int64_t points = frames * curves;
  return points <= most ? 1 : (2 * points + most - 1) / most;
}

}  // namespace acutance
