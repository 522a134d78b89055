#include "stats/mean_gate.h"

#include <algorithm>
#include <cmath>

#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr int64_t kShortestBlock = 16, kUnknownRate = 25;
constexpr int64_t kBlocks = 600;  // of a long video, whose blocks last a second at most

}  // namespace

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

MeanJudge::MeanJudge(const MeanGate& choice, int64_t frames, std::optional<double> frame_rate)
    : choice_(choice), frames_(frames) {
  const int64_t second = std::max<int64_t>(kShortestBlock, std::llround(frame_rate.value_or(kUnknownRate)));
  block_frames_ = std::clamp<int64_t>(frames / kBlocks, kShortestBlock, second);
  tail_frames_ = frames % block_frames_;
  Random random(choice.seed);
  order_ = RandomOrder(static_cast<size_t>(frames / block_frames_), random);
}

void MeanJudge::Begin(const ScoreRange& range, double tail_sum) {
  range_ = range;
  tail_sum_ = tail_sum;
  const auto options = [&](double bound) {
    return MeanTest::Options{Mirrored(bound), range.least, range.most, choice_.confidence, choice_.certain};
  };
  if (order_.empty()) {
    test_.emplace(options(choice_.bound), 1);
    return test_->Add(Mirrored(tail_sum / static_cast<double>(tail_frames_)));
  }
  const auto all = static_cast<double>(frames_), tail = static_cast<double>(tail_frames_);
  test_.emplace(options((choice_.bound * all - tail_sum) / (all - tail)), order_.size());
}

std::vector<FrameSpan> MeanJudge::NextBlocks() {
  constexpr size_t kFirst = 8;
  drawn_ = std::min(order_.size(), std::max({kFirst, order_.size() / 20, added_ + added_ / 2}));
  std::vector<FrameSpan> blocks;
  for (size_t i = added_; i < drawn_; ++i) {
    const int64_t begin = static_cast<int64_t>(order_[i]) * block_frames_;
    blocks.push_back({begin, begin + block_frames_});
  }
  std::ranges::sort(blocks, {}, &FrameSpan::begin);
  return blocks;
}

void MeanJudge::AddBlocks(std::span<const double> sums) {
  std::vector<size_t> blocks(order_.begin() + static_cast<std::ptrdiff_t>(added_),
                             order_.begin() + static_cast<std::ptrdiff_t>(drawn_));
  std::ranges::sort(blocks);
  for (; added_ < drawn_ && is_open(); ++added_) {
    const auto at = std::ranges::lower_bound(blocks, order_[added_]) - blocks.begin();
    test_->Add(Mirrored(sums[static_cast<size_t>(at)] / static_cast<double>(block_frames_)));
  }
}

MeanDecision MeanJudge::Decide() const {
  Interval bounds = test_->Bounds();
  if (!choice_.at_least) bounds = {Mirrored(bounds.high), Mirrored(bounds.low)};
  const auto tail = static_cast<double>(tail_frames_), all = static_cast<double>(frames_);
  const auto whole = [&](double mean) { return (mean * (all - tail) + tail_sum_) / all; };
  const auto added = static_cast<double>(test_->added()), block = static_cast<double>(block_frames_);
  return {.holds = test_->verdict() == MeanTest::Verdict::kAbove,
          .is_certain = test_->is_certain(),
          .mean_of_scored = (mean_of_blocks() * added * block + tail_sum_) / (added * block + tail),
          .least_mean = whole(bounds.low),
          .greatest_mean = whole(bounds.high)};
}

}  // namespace acutance
