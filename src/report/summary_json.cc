#include "report/summary_json.h"

#include <algorithm>

#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr int kPercentiles[] = {1, 5, 10, 25, 75, 90, 95, 99};

}  // namespace

Json PoolsJson(std::span<const double> scores, const std::vector<NamedPool>& pools, const PoolContext& context) {
  Json result = Json::Object();
  for (const NamedPool& pool : pools) {
    result[pool.name] = PoolScores(scores, pool, context);
  }
  return result;
}

Json IntervalJson(const std::optional<Interval>& interval, double confidence) {
  if (!interval) return {};
  return {{"low", interval->low}, {"high", interval->high}, {"confidence", confidence}};
}

Json StatisticsJson(std::span<const double> scores, const std::vector<NamedPool>& pools, const PoolContext& context) {
  const std::vector<double> sorted = Sorted(scores);
  Json result;
  result["mean"] = Mean(scores);
  result["harmonic_mean"] = HarmonicMean(scores);
  result["min"] = Minimum(scores);
  result["max"] = Maximum(scores);
  result["median"] = Percentile(sorted, 50);
  result["stddev"] = StandardDeviation(scores);
  for (const int p : kPercentiles) result["percentiles"][std::to_string(p)] = Percentile(sorted, p);
  result["pools"] = PoolsJson(scores, pools, context);
  const size_t block = BlockLength(scores.size(), context.scores_per_second);
  const BootstrapOptions options;
  Json interval = IntervalJson(MeanInterval(scores, block, options), options.confidence);
  if (interval.IsObject()) interval["block"] = block;
  result["mean_interval"] = std::move(interval);
  return result;
}

Json VerdictsJson(const std::vector<Verdict>& verdicts) {
  Json requirements = Json::Array();
  for (const Verdict& verdict : verdicts)
    requirements.Append({{"requirement", verdict.requirement.text},
                         {"distorted", verdict.video},
                         {"value", verdict.value},
                         {"bound", verdict.requirement.bound},
                         {"holds", verdict.holds},
                         {"text", verdict.Sentence()}});
  return {{"holds", std::ranges::all_of(verdicts, &Verdict::holds)}, {"requirements", std::move(requirements)}};
}

}  // namespace acutance
