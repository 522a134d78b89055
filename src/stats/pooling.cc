#include "stats/pooling.h"

#include <algorithm>

#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr NamedPoolingMethod kMethods[] = {{"min", Pooling::kMin, Minimum},
                                           {"max", Pooling::kMax, Maximum},
                                           {"mean", Pooling::kMean, Mean},
                                           {"harmonic_mean", Pooling::kHarmonicMean, HarmonicMean}};

}  // namespace

std::span<const NamedPoolingMethod> PoolingMethods() { return kMethods; }

std::optional<std::vector<double>> ScoresInRange(const ScoreTable::Column& column, const FrameRange& range) {
  const auto size = static_cast<int64_t>(column.scores.size());
  const int64_t step = std::max(range.n_subsample, 1);
  const int64_t first = (std::max<int64_t>(range.low, 0) + step - 1) / step * step;
  if (range.low < 0 || first > range.high) return std::nullopt;
  std::vector<double> scores;
  for (int64_t frame = first; frame <= range.high; frame += step) {
    if (frame >= size || !column.scores[frame]) return std::nullopt;
    scores.push_back(*column.scores[frame]);
  }
  return scores;
}

double Pool(std::span<const double> scores, Pooling method) {
  const auto* const found = std::ranges::find(kMethods, method, &NamedPoolingMethod::method);
  return found == std::end(kMethods) ? 0 : found->pool(scores);
}

std::optional<double> Pool(const ScoreTable::Column& column, const FrameRange& range, Pooling method) {
  const auto scores = ScoresInRange(column, range);
  if (!scores) return std::nullopt;
  const bool is_whole = range.low == 0 && range.high + 1 >= static_cast<int64_t>(column.scores.size());
  if (method == Pooling::kMean && is_whole && column.clip_mean) return column.clip_mean;
  return Pool(*scores, method);
}

}  // namespace acutance
