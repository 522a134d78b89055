#include "stats/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace acutance {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double Mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? kNan : sum / static_cast<double>(values.size());
}

double HarmonicMean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += 1.0 / (value + 1.0);
  return values.empty() ? kNan : static_cast<double>(values.size()) / sum - 1.0;
}

double Minimum(std::span<const double> values) { return values.empty() ? kNan : *std::ranges::min_element(values); }
double Maximum(std::span<const double> values) { return values.empty() ? kNan : *std::ranges::max_element(values); }

double StandardDeviation(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return values.empty() ? kNan : std::sqrt(sum / static_cast<double>(values.size()));
}

std::vector<double> Sorted(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(),
            [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
  return sorted;
}

double Percentile(std::span<const double> sorted, double p) {
  if (sorted.empty() || std::isnan(sorted.back())) return kNan;
  const double position = p * static_cast<double>(sorted.size() - 1) / 100.0;
  const double low = std::floor(position);
  const double high = std::ceil(position);
  const double below = sorted[static_cast<size_t>(low)];
  if (low == high) return below;
  return below * (high - position) + sorted[static_cast<size_t>(high)] * (position - low);
}

}  // namespace acutance
