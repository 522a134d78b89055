#include "stats/sequential_test.h"

#include <algorithm>

#include "math/exact_math.h"

namespace acutance {

MeanTest::MeanTest(const Options& options, size_t parts)
    : options_(options),
      parts_(parts),
      bound_((options.bound - options.least) / (options.most - options.least)),
      log_wanted_(-Log(1 - options.confidence)) {
  Settle();
}

/// How much to bet on a part beyond the mean that is left: what made the capital grow most so far (Kelly 1956), and so
/// little that it survives the worst part. Any choice that does not look ahead keeps the error.
double MeanTest::Bet(double distance, double room) const {
  constexpr double kMostOfCapital = 0.95;
  constexpr double kFirstVariance = 0.01;  // stands in for a part
  const auto count = static_cast<double>(added_);
  const double mean = added_ > 0 ? sum_ / count : 0;
  const double variance = (std::max(0.0, squares_ - count * mean * mean) + kFirstVariance) / (count + 1);
  const double most = kMostOfCapital / std::max(room, 1e-9);
  return std::clamp(distance / (variance + distance * distance), 0.0, most);
}

void MeanTest::Add(double mean) {
  const double x = std::clamp((mean - options_.least) / (options_.most - options_.least), 0.0, 1.0);
  const auto left = static_cast<double>(parts_ - added_);
  // What the mean of the parts that are left would be, were the mean of all the bound.
  const double rest = (bound_ * static_cast<double>(parts_) - sum_) / left;
  if (rest > 0 && rest < 1) {
    const double distance = added_ > 0 ? sum_ / static_cast<double>(added_) - rest : 0;
    log_above_ += Log(1 + Bet(distance, rest) * (x - rest));
    log_below_ += Log(1 - Bet(-distance, 1 - rest) * (x - rest));
  }
  sum_ += x;
  squares_ += x * x;
  ++added_;
  Settle();
}

void MeanTest::Settle() {
  if (verdict_ != Verdict::kOpen && is_certain_) return;
  const double total = bound_ * static_cast<double>(parts_);
  const auto left = static_cast<double>(parts_ - added_);
  const auto is = [&](Verdict verdict, bool certain) {
    verdict_ = verdict;
    is_certain_ = certain;
  };
  if (sum_ >= total || added_ == parts_) is(sum_ >= total ? Verdict::kAbove : Verdict::kBelow, true);
  else if (sum_ + left < total) is(Verdict::kBelow, true);
  else if (verdict_ != Verdict::kOpen || options_.certain) return;
  else if (log_above_ >= log_wanted_) is(Verdict::kAbove, false);
  else if (log_below_ >= log_wanted_) is(Verdict::kBelow, false);
}

double MeanTest::mean() const {
  const double part = added_ > 0 ? sum_ / static_cast<double>(added_) : 0;
  return options_.least + part * (options_.most - options_.least);
}

Interval MeanTest::Bounds() const {
  const double range = options_.most - options_.least;
  const auto all = static_cast<double>(parts_);
  const auto left = static_cast<double>(parts_ - added_);
  return {options_.least + range * sum_ / all, options_.least + range * (sum_ + left) / all};
}

}  // namespace acutance
