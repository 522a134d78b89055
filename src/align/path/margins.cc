#include "align/path/margins.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "align/align_tracks.h"
#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Adds up, for each shift, how much more the shifted pairs cost than those of the path.
class ShiftSums {
 public:
  explicit ShiftSums(int64_t reach) : reach_(reach), sums_(2 * reach + 1), counts_(2 * reach + 1) {}

  template <class Residuals>
  void Add(const Residuals& residuals, const PairingCosts& costs, int64_t j, int64_t i, int64_t reference_count) {
    const int64_t low = std::max<int64_t>(0, i - reach_), high = std::min(reference_count - 1, i + reach_);
    row_.resize(high - low + 1);
    costs.Fill(residuals, j, low, row_, PairingCosts::kTieOfAll);
    const double own = row_[i - low];
    for (int64_t k = low; k <= high; ++k) {
      const int64_t at = k - i + reach_;
      sums_[at] += row_[k - low] - own;
      ++counts_[at];
    }
    ++pairs_;
  }

  /// The same for a step, whose both frames are shifted: the mean of what the pair and what is new in it cost.
  void AddStep(const FittedPath& fitted, int64_t j, int64_t before, int64_t now) {
    const int64_t low = std::max<int64_t>(0, now - reach_), high = std::min(fitted.reference_count - 1, now + reach_);
    row_.resize(high - low + 1);
    fitted.FillPairs(j, low, row_, PairingCosts::kTieOfAll);
    steps_.resize(sums_.size());
    finer_.resize(sums_.size());
    fitted.steps->FillShifts(j, before, now, reach_, steps_);
    fitted.detail_steps->FillShifts(j, before, now, reach_, finer_);
    for (size_t k = 0; k < steps_.size(); ++k)
      if (steps_[k] >= 0) steps_[k] = fitted.weights.new_cells * steps_[k] + fitted.weights.new_details * finer_[k];
    const double own = row_[now - low], own_step = steps_[reach_];
    for (int64_t k = low; k <= high; ++k) {
      const int64_t at = k - now + reach_;
      if (steps_[at] < 0) continue;
      sums_[at] += (row_[k - low] - own + steps_[at] - own_step) / 2;
      ++counts_[at];
    }
    ++pairs_;
  }

  /// The sum that all pairs would have, from those whose shifted partners exist: a fourth of them at least.
  double Of(int64_t shift, int64_t all) const {
    constexpr int64_t kLeast = 4;
    const int64_t at = shift + reach_;
    if (counts_[at] < kLeast || 4 * counts_[at] < pairs_) return kUnknown;
    return sums_[at] / static_cast<double>(counts_[at]) * static_cast<double>(all);
  }

 private:
  int64_t reach_;
  std::vector<double> sums_, row_, steps_, finer_;
  std::vector<int64_t> counts_;
  int64_t pairs_ = 0;
};

constexpr int64_t kNearShift = 12;

int64_t PairCount(const FittedPath& fitted) {
  return std::ranges::count_if(fitted.likely, [](int64_t i) { return i >= 0; });
}

ShiftSums SumNear(const FittedPath& fitted, int64_t reach) {
  ShiftSums sums(reach);
  for (int64_t j = 1; j < static_cast<int64_t>(fitted.likely.size()); ++j) {
    const int64_t before = fitted.likely[j - 1], now = fitted.likely[j];
    if (before >= 0 && now >= before) sums.AddStep(fitted, j, before, now);
  }
  return sums;
}

}  // namespace

Margins::Margins(int64_t first, std::vector<double> margins) : first_(first), margins_(std::move(margins)) {
  smallest_ = std::numeric_limits<double>::infinity();
  int64_t known = 0, ambiguous = 0;
  for (size_t k = 0; k < margins_.size(); ++k) {
    const int64_t shift = first_ + static_cast<int64_t>(k);
    if (shift == 0 || std::isnan(margins_[k])) continue;
    smallest_ = std::min(smallest_, margins_[k]);
    ++known;
    if (margins_[k] >= kBound) continue;
    ++ambiguous;
    if (period_ == 0 || std::abs(shift) < period_) period_ = std::abs(shift);
  }
  // Where a picture comes again every second frame or more rarely, at most half of all shifts fit. More than half fit
  // for a still whose encodes err alike in frames that are near.
  most_fit_ = 2 * ambiguous > known;
  if (most_fit_) period_ = 1;
  if (std::isinf(smallest_)) smallest_ = 0;
}

bool Margins::IsAmbiguous(int64_t shift) const {
  const int64_t at = shift - first_;
  if (shift == 0) return true;
  return at >= 0 && at < static_cast<int64_t>(margins_.size()) && margins_[at] < kBound;
}

double Margins::confidence() const {
  constexpr double kUnit = 7.5;
  return 1 - Exp(-std::clamp(smallest_, 0.0, 40 * kUnit) / kUnit);
}

Alignment::Doubt Margins::doubt() const {
  if (smallest_ >= kBound) return Alignment::Doubt::kNone;
  if (period_ == 0) return Alignment::Doubt::kShort;
  return period_ == 1 ? Alignment::Doubt::kStill : Alignment::Doubt::kPeriodic;
}

Margins MarginsNear(const FittedPath& fitted) {
  constexpr int64_t kVeryNear = 3;
  const ShiftSums sums = SumNear(fitted, kVeryNear);
  std::vector<double> margins;
  for (int64_t shift = -kVeryNear; shift <= kVeryNear; ++shift) margins.push_back(sums.Of(shift, PairCount(fitted)));
  return {-kVeryNear, std::move(margins)};
}

Margins MarginsOf(const FittedPath& fitted, const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr int64_t kLooks = 1500;  // frames that far shifts are judged by: more add nothing new
  const int64_t reach = MostFramesApart(reference, distorted);
  const ShiftSums near = SumNear(fitted, kNearShift);
  ShiftSums far(reach);
  const auto count = static_cast<int64_t>(fitted.likely.size());
  for (int64_t j = 0; j < count; j += std::max<int64_t>(1, count / kLooks))
    if (const int64_t i = fitted.likely[j]; i >= 0)
      far.Add(*fitted.coarse, fitted.coarse_costs, j, i, fitted.reference_count);
  PairList pairs;
  for (int64_t j = 0; j < count; ++j)
    if (const int64_t i = fitted.likely[j]; i >= 0) pairs.emplace_back(i, j);
  const auto all = static_cast<int64_t>(pairs.size());
  std::vector<double> margins;
  for (int64_t shift = -reach; shift <= reach; ++shift) {
    const bool is_near = std::abs(shift) <= kNearShift;
    double margin = is_near ? near.Of(shift, all) : far.Of(shift, all);
    // Coarse cells do not see a small thing that moves in a picture that stands.
    if (!is_near && margin < Margins::kBound)
      if (const double moving = fitted.moving->MarginOf(pairs, shift); moving > margin) margin = moving;
    margins.push_back(margin);
  }
  return {-reach, std::move(margins)};
}

}  // namespace acutance
