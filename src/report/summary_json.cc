#include "report/summary_json.h"

#include <algorithm>
#include <cmath>

#include "model/statistics.h"

namespace acutance {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPercentiles[] = {1, 5, 10, 25, 75, 90, 95, 99};

}  // namespace

Json JsonNumber(double value) { return std::isfinite(value) ? Json(value) : Json(); }

std::string JsonText(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string JsonLine(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json PoolsJson(std::span<const double> scores, const std::vector<NamedPool>& pools, const PoolContext& context) {
  Json result = Json::object();
  for (const NamedPool& pool : pools) {
    const auto value = PoolScores(scores, pool, context);
    result[pool.name] = value ? JsonNumber(*value) : Json();
  }
  return result;
}

Json IntervalJson(const std::optional<Interval>& interval, double confidence) {
  if (!interval) return {};
  return {{"low", JsonNumber(interval->low)}, {"high", JsonNumber(interval->high)}, {"confidence", confidence}};
}

Json StatisticsJson(std::span<const double> scores, const std::vector<NamedPool>& pools, const PoolContext& context) {
  const std::vector<double> sorted = Sorted(scores);
  Json result;
  result["mean"] = JsonNumber(Mean(scores));
  result["harmonic_mean"] = JsonNumber(HarmonicMean(scores));
  result["min"] = JsonNumber(Minimum(scores));
  result["max"] = JsonNumber(Maximum(scores));
  result["median"] = JsonNumber(Percentile(sorted, 50));
  result["stddev"] = JsonNumber(StandardDeviation(scores));
  for (const int p : kPercentiles) result["percentiles"][std::to_string(p)] = JsonNumber(Percentile(sorted, p));
  result["pools"] = PoolsJson(scores, pools, context);
  const size_t block = BlockLength(scores.size(), context.scores_per_second);
  const BootstrapOptions options;
  Json interval = IntervalJson(MeanInterval(scores, block, options), options.confidence);
  if (interval.is_object()) interval["block"] = block;
  result["mean_interval"] = std::move(interval);
  return result;
}

Json VerdictsJson(const std::vector<Verdict>& verdicts) {
  Json requirements = Json::array();
  for (const Verdict& verdict : verdicts)
    requirements.push_back({{"requirement", verdict.requirement.text},
                            {"distorted", verdict.video},
                            {"value", verdict.value ? JsonNumber(*verdict.value) : Json()},
                            {"bound", verdict.requirement.bound},
                            {"holds", verdict.holds},
                            {"text", verdict.Sentence()}});
  return {{"holds", std::ranges::all_of(verdicts, &Verdict::holds)}, {"requirements", std::move(requirements)}};
}

}  // namespace acutance
