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
  double (*pool)(std::span<const double> scores) = nullptr;  // null: more than the scores matters
  double percent = 0;
};

constexpr Entry kPools[] = {{"mean", Kind::kMean, Mean},
                            {"harmonic_mean", Kind::kHarmonicMean, HarmonicMean},
                            {"min", Kind::kMin, Minimum},
                            {"max", Kind::kMax, Maximum},
                            {"median", Kind::kPercentile, nullptr, 50},
                            {"stddev", Kind::kStddev, StandardDeviation},
                            {"worst_percent", Kind::kWorstPercent},
                            {"worst_second", Kind::kWorstSecond}};

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

/// Each window is summed anew: a running sum would accumulate errors.
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
  if (pool.kind == Kind::kMean && context.clip_mean) return context.clip_mean;
  if (const auto simple = std::ranges::find(kPools, pool.kind, &Entry::kind)->pool) return simple(scores);
  if (pool.kind == Kind::kPercentile) return Percentile(Sorted(scores), pool.percent);
  if (pool.kind == Kind::kWorstPercent) return WorstPercent(scores, context.higher_is_worse);
  if (!context.scores_per_second) return std::nullopt;
  return WorstSecond(scores, static_cast<size_t>(std::lround(std::min(*context.scores_per_second, 1e6))),
                     context.higher_is_worse);
}

}  // namespace acutance
