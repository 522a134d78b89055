#include "align/cost_weights.h"

#include <algorithm>
#include <array>

#include "math/exact_math.h"

namespace acutance {
namespace {

void Fill(const FineResiduals& residuals, const PairingCosts& costs, int64_t j, int64_t first, std::span<double> to) {
  residuals.Fill(j, first, to);
  costs.FromResiduals(residuals.energy(j), residuals.floor(), to);
}

/// What costs weigh is how well they tell, of the frames of a path, their own from those about: the weight by which
/// that is likeliest, if two in a hundred tell nothing; the largest that is nearly so, as costs have bounds.
class WeightSearch {
 public:
  void Add(std::span<const double> costs, size_t own) {
    const double least = *std::ranges::min_element(costs);
    if (std::ranges::all_of(costs, [&](double cost) { return cost - least < kTold; })) return;
    ++frames_;
    for (size_t w = 0; w < kWeights.size(); ++w) {
      double sum = 0;
      for (const double cost : costs) sum += Exp(-std::min(600.0, kWeights[w] * (cost - least)));
      const double part = Exp(-std::min(600.0, kWeights[w] * (costs[own] - least))) / sum;
      likelihoods_[w] += Log2((1 - kLost) * part + kLost / static_cast<double>(costs.size()));
    }
  }

  double best() const {
    constexpr int kFew = 8;
    if (frames_ < kFew) return 1;
    const double enough = *std::ranges::max_element(likelihoods_) - kAsGood;
    const auto last = std::ranges::find_if(likelihoods_.rbegin(), likelihoods_.rend(),
                                           [&](double likelihood) { return likelihood >= enough; });
    return kWeights[static_cast<size_t>(likelihoods_.rend() - last) - 1];
  }

 private:
  static constexpr std::array<double, 8> kWeights{0, 0.1, 0.2, 0.4, 0.7, 1, 1.5, 2};
  static constexpr double kTold = 0.2, kLost = 0.02, kAsGood = 1;

  int frames_ = 0;
  std::array<double, 8> likelihoods_{};
};

}  // namespace

CostWeights LearnWeights(std::span<const std::pair<int64_t, int64_t>> pairs, const FittedPath& fitted) {
  constexpr int64_t kAbout = 2, kAfter = 3;
  WeightSearch cells, details, new_cells, new_details;
  std::vector<double> costs;
  for (size_t k = 1; k < pairs.size(); ++k) {
    const auto& [i, j] = pairs[k];
    const int64_t before = pairs[k - 1].first;
    const int64_t first = std::max<int64_t>(0, i - kAbout), last = std::min(fitted.reference_count - 1, i + kAbout);
    costs.resize(static_cast<size_t>(last - first + 1));
    const auto own = static_cast<size_t>(i - first);
    Fill(*fitted.fine, fitted.fine_costs, j, first, costs);
    cells.Add(costs, own);
    Fill(*fitted.details, fitted.detail_costs, j, first, costs);
    details.Add(costs, own);
    const int64_t after = std::min(kAfter + 1, fitted.reference_count - before);
    // Times of a container may go back.
    if (pairs[k - 1].second != j - 1 || i < before || i - before >= after) continue;
    costs.resize(static_cast<size_t>(after));
    fitted.steps->Fill(j, before, 1, before, after, costs);
    new_cells.Add(costs, static_cast<size_t>(i - before));
    fitted.detail_steps->Fill(j, before, 1, before, after, costs);
    new_details.Add(costs, static_cast<size_t>(i - before));
  }
  return {cells.best(), details.best(), new_cells.best(), new_details.best()};
}

}  // namespace acutance
