#include "run/explain/pooled_score.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/number.h"
#include "stats/pool.h"

namespace acutance {
namespace {

constexpr std::string_view kPools = "mean,harmonic_mean,min,max,median,p1,p5,p10,p25,p75,p90,p95,p99,worst_percent";

std::vector<double> FiniteScores(const LoggedSeries& column) {
  std::vector<double> scores;
  for (const std::optional<double>& score : column.scores)
    if (score && std::isfinite(*score)) scores.push_back(*score);
  return scores;
}

/// Half a unit of the text's last decimal, and a little for numbers that lie on it.
double HalfUnit(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  double unit = 1;
  for (size_t i = point; i + 1 < text.size(); ++i) unit /= 10;
  return 0.5001 * unit;
}

std::string PoolingsOf(const LoggedSeries& column, const std::vector<NamedPool>& pools) {
  std::vector<std::string> values;
  for (const NamedPool& pool : pools)
    if (const std::optional<double> value = PoolScores(FiniteScores(column), pool, {}))
      values.push_back(fmt::format("{} {:.6f}", pool.name, *value));
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

Result<std::string> ExplainPooledScore(const LoggedScores& log, std::string_view score) {
  const std::optional<double> wanted = ParseFiniteDouble(score);
  if (!wanted || score.find_first_of("eE") != std::string_view::npos)
    return Error(StatusCode::kInvalidArgument, "--score {} is no number: give it as it was stated, such as 93.41",
                 score);
  ACU_ASSIGN_OR_RETURN(const std::vector<NamedPool> pools, ParsePools(kPools));
  std::vector<std::string> found;
  for (const LoggedSeries& column : log.columns)
    for (const NamedPool& pool : pools) {
      const std::optional<double> value = PoolScores(FiniteScores(column), pool, {});
      if (value && std::fabs(*value - *wanted) <= HalfUnit(score))
        found.push_back(fmt::format("the {} of {}", pool.name, column.name));
    }
  if (!found.empty()) return fmt::format("{} is {}", score, fmt::join(found, ", or "));
  // A model's scores are a log's last column.
  if (log.columns.empty()) return fmt::format("{} is no pooling of the log, which has no scores", score);
  return fmt::format("{} is no pooling of the log's scores; those of {}: {}", score, log.columns.back().name,
                     PoolingsOf(log.columns.back(), pools));
}

}  // namespace acutance
