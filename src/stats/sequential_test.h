// Whether the mean of a video's scores reaches a bound, from a part of its frames (docs/use/decisions.md).
#pragma once

#include <cstddef>
#include <cstdint>

#include "stats/bootstrap.h"

namespace acutance {

/// Parts of equal length are drawn in random order without putting back, and the test may be asked after each. For each
/// verdict it bets on parts above (below) what is left on average where the verdict is wrong, so that the capital grows
/// beyond 1 / (1 - confidence) at any time with a probability of 1 - confidence at most (Ville's inequality; Waudby-
/// Smith and Ramdas 2020, "Confidence sequences for sampling without replacement"). This holds for all scores in the
/// range: it asks for no independence, and no normal distribution.
class MeanTest {
 public:
  struct Options {
    double bound = 0;
    double least = 0, most = 100;  // of a score
    double confidence = 0.999;
    bool certain = false;  // only what holds whatever the other parts may be
  };
  enum class Verdict { kOpen, kAbove, kBelow };  // mean >= bound, mean <= bound

  MeanTest(const Options& options, size_t parts);

  /// The mean of the next part, in the order that was drawn; in the range.
  void Add(double mean);

  Verdict verdict() const { return verdict_; }
  /// Whether the verdict holds whatever the other parts may be.
  bool is_certain() const { return is_certain_; }
  size_t added() const { return added_; }
  double mean() const;  // of what was added

  /// Where the mean of all must lie, whatever the other parts may be.
  Interval Bounds() const;

 private:
  double Bet(double distance, double room) const;
  void Settle();

  const Options options_;
  const size_t parts_;
  const double bound_;  // in units of the range, as are all sums
  double log_wanted_;
  double sum_ = 0, squares_ = 0;
  double log_above_ = 0, log_below_ = 0;  // the capitals
  size_t added_ = 0;
  Verdict verdict_ = Verdict::kOpen;
  bool is_certain_ = false;
};

}  // namespace acutance
