#include "stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/statistics.h"

namespace acutance {

size_t BlockLength(size_t scores, std::optional<double> scores_per_second) {
  constexpr double kSeconds = 2, kUnknownRate = 25, kMostScores = 1e6;
  const double wanted = std::round(kSeconds * scores_per_second.value_or(kUnknownRate));
  return std::max<size_t>(1, std::min(static_cast<size_t>(std::clamp(wanted, 1.0, kMostScores)), scores / 10));
}

void DrawBlocks(size_t scores, size_t block, Random& random, const std::function<void(size_t, size_t)>& use) {
  for (size_t left = scores; left > 0;) {
    const size_t begin = random.Below(scores);
    const size_t length = std::min(block, left);
    const size_t end = std::min(begin + length, scores);
    use(begin, end);
    if (end - begin < length) use(0, length - (end - begin));
    left -= length;
  }
}

Interval MiddlePart(std::span<double> values, double confidence) {
  std::ranges::sort(values);
  const double tail = 100 * (1 - confidence) / 2;
  return {Percentile(values, tail), Percentile(values, 100 - tail)};
}

std::optional<Interval> MeanInterval(std::span<const double> scores, size_t block, const BootstrapOptions& options) {
  if (!std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) return std::nullopt;
  if (scores.size() < 2 * block) return std::nullopt;
  const double mean = Mean(scores);
  std::vector<double> sums = {0};  // of the deviations, which are small
  for (const double score : scores) sums.push_back(sums.back() + (score - mean));
  Random random(options.seed);
  std::vector<double> deviations;
  for (int i = 0; i < options.resamples; ++i) {
    double sum = 0;
    DrawBlocks(scores.size(), block, random, [&](size_t begin, size_t end) { sum += sums[end] - sums[begin]; });
    deviations.push_back(sum / static_cast<double>(scores.size()));
  }
  const Interval spread = MiddlePart(deviations, options.confidence);
  // With few blocks the spread is too small, as the variance of few values is without Bessel's correction.
  const double blocks = static_cast<double>(scores.size()) / static_cast<double>(block);
  const double widen = std::sqrt(blocks / (blocks - 1));
  return Interval{mean + spread.low * widen, mean + spread.high * widen};
}

std::optional<Interval> DifferenceInterval(std::span<const double> a, std::span<const double> b, size_t block,
                                           const BootstrapOptions& options) {
  std::vector<double> differences;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) differences.push_back(a[i] - b[i]);
  return MeanInterval(differences, block, options);
}

}  // namespace acutance
