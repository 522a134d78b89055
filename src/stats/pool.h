// Poolings by name: from the scores of many frames to one number (docs/use/decisions.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

struct NamedPool {
  enum class Kind { kMean, kHarmonicMean, kMin, kMax, kStddev, kPercentile, kWorstPercent, kWorstSecond };
  Kind kind = Kind::kMean;
  double percent = 0;  // kPercentile
  std::string name{};  // "p5"

  bool operator==(const NamedPool&) const = default;
};

struct PoolContext {
  bool higher_is_worse = false;
  std::optional<double> scores_per_second{};  // not known: there is no worst second
  std::optional<double> clip_mean{};          // stands for the mean (ScoreTable::Column)
};

/// mean, harmonic_mean, min, max, median, stddev, p0 to p100 (p2.5 too), worst_percent, worst_second; "harmonic" is
/// short for harmonic_mean. Another name is an error.
Result<NamedPool> ParsePool(std::string_view name);

/// Names separated by commas.
Result<std::vector<NamedPool>> ParsePools(std::string_view names);

/// The poolings of a summary where none are chosen.
std::vector<NamedPool> UsualPools();

/// nullopt where there is no score, or no worst second. worst_percent is the mean of the worst hundredth of the scores,
/// one at least; worst_second the worst mean of the scores in a row that fill a second (all, of a shorter clip). Worst
/// is lowest, or highest where higher is worse.
std::optional<double> PoolScores(std::span<const double> scores, const NamedPool& pool, const PoolContext& context);

}  // namespace acutance
