#include "stats/pool.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/did_you_mean.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

using Kind = NamedPool::Kind;

struct Entry {
  std::string_view name;
  Kind kind;
  double percent;
};

constexpr Entry kPools[] = {{"mean", Kind::kMean, 0},
                            {"harmonic_mean", Kind::kHarmonicMean, 0},
                            {"min", Kind::kMin, 0},
                            {"max", Kind::kMax, 0},
                            {"median", Kind::kPercentile, 50},
                            {"stddev", Kind::kStddev, 0},
                            {"worst_percent", Kind::kWorstPercent, 0},
                            {"worst_second", Kind::kWorstSecond, 0}};

std::optional<double> ReadPercent(std::string_view name) {
  if (name.size() < 2 || name[0] != 'p') return std::nullopt;
  double percent = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 1, end, percent, std::chars_format::fixed);
  if (error != std::errc() || stop != end || !(percent >= 0 && percent <= 100)) return std::nullopt;
  return percent;
}

/// "; did you mean 'p5'?" for names with a number that a percentile can have, such as "p5x" and "perc5".
std::string SuggestPercentile(std::string_view name) {
  const size_t digit = name.find_first_of("0123456789");
  if (digit == name.npos) return "";
  const size_t end = name.find_first_not_of("0123456789.", digit);
  const std::string percentile = fmt::format("p{}", name.substr(digit, end - digit));
  return ReadPercent(percentile) ? fmt::format("; did you mean '{}'?", percentile) : "";
}

double WorstPercent(std::span<const double> scores, bool higher_is_worse) {
  std::vector<double> sorted = Sorted(scores);
  if (higher_is_worse) std::ranges::reverse(sorted);
  const size_t count = std::max<size_t>(1, sorted.size() / 100);
  return Mean(std::span(sorted).first(count));
}

/// The frames of a second, each window summed anew: a running sum would keep errors.
double WorstSecond(std::span<const double> scores, size_t length, bool higher_is_worse) {
  length = std::clamp<size_t>(length, 1, scores.size());
  double worst = Mean(scores.first(length));
  for (size_t begin = 1; begin + length <= scores.size(); ++begin) {
    const double mean = Mean(scores.subspan(begin, length));
    if (std::isnan(mean) || (higher_is_worse ? mean > worst : mean < worst)) worst = mean;
  }
  return worst;
}

}  // namespace

Result<NamedPool> ParsePool(std::string_view name) {
  if (name == "harmonic") name = "harmonic_mean";
  for (const Entry& entry : kPools)
    if (entry.name == name) return NamedPool{entry.kind, entry.percent, std::string(name)};
  if (const auto percent = ReadPercent(name)) return NamedPool{Kind::kPercentile, *percent, std::string(name)};
  std::vector<std::string_view> names;
  for (const Entry& entry : kPools) names.push_back(entry.name);
  const std::string percentile = SuggestPercentile(name);
  return Error(StatusCode::kInvalidArgument, "there is no pooling '{}'{} (there are {}, and percentiles such as p5)",
               name, percentile.empty() ? DidYouMean(name, names) : percentile, fmt::join(names, ", "));
}

Result<std::vector<NamedPool>> ParsePools(std::string_view names) {
  std::vector<NamedPool> pools;
  for (std::string_view rest = names; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    ACU_ASSIGN_OR_RETURN(NamedPool pool, ParsePool(name));
    if (std::ranges::find(pools, pool) == pools.end()) pools.push_back(std::move(pool));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return pools;
}

std::vector<NamedPool> UsualPools() {
  return ParsePools("mean,harmonic_mean,min,max,median,p1,p5,p10,worst_percent,worst_second").value();
}

std::optional<double> PoolScores(std::span<const double> scores, const NamedPool& pool, const PoolContext& context) {
  if (scores.empty()) return std::nullopt;
  switch (pool.kind) {
    case Kind::kMean:
      return Mean(scores);
    case Kind::kHarmonicMean:
      return HarmonicMean(scores);
    case Kind::kMin:
      return Minimum(scores);
    case Kind::kMax:
      return Maximum(scores);
    case Kind::kStddev:
      return StandardDeviation(scores);
    case Kind::kPercentile:
      return Percentile(Sorted(scores), pool.percent);
    case Kind::kWorstPercent:
      return WorstPercent(scores, context.higher_is_worse);
    case Kind::kWorstSecond:
      break;
  }
  if (!context.scores_per_second) return std::nullopt;
  return WorstSecond(scores, static_cast<size_t>(std::lround(std::min(*context.scores_per_second, 1e6))),
                     context.higher_is_worse);
}

}  // namespace acutance
