#include "model/lost_points.h"

#include <algorithm>
#include <array>
#include <bit>

namespace acutance {
namespace {

unsigned BitOf(Damage kind) { return 1U << static_cast<int>(kind); }

/// The scores with the features of the kinds in `mask` set to their ideal, for all masks.
std::array<double, 1 << kDamages> ScoresByMask(const Model& model, std::span<const double> values,
                                               std::span<const FeatureDamage> damage, const ModelFlags& flags,
                                               unsigned kinds) {
  std::array<double, 1 << kDamages> scores{};
  for (unsigned mask = 0; mask < scores.size(); ++mask) {
    if ((mask & ~kinds) != 0) continue;
    std::vector<double> fixed(values.begin(), values.end());
    for (size_t i = 0; i < fixed.size(); ++i)
      if (damage[i].kind && (mask & BitOf(*damage[i].kind)) != 0) fixed[i] = damage[i].ideal;
    scores[mask] = Predict(model, fixed, flags);
  }
  return scores;
}

double Factorial(int n) { return n < 2 ? 1 : n * Factorial(n - 1); }

/// Moves the share of kinds that are parts of others.
void DivideKinds(std::span<const double> values, std::span<const FeatureDamage> damage, LostPoints& lost) {
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& [kind, ideal, part_kind, part] = damage[i];
    if (!kind || part == 0) continue;
    const double missing = ideal - values[i];
    const double share = missing > 0 ? std::min(1.0, part / missing) : 0;
    double& points = lost.points[static_cast<int>(*kind)];
    lost.points[static_cast<int>(part_kind)] += points * share;
    points *= 1 - share;
  }
}

}  // namespace

LostPoints FindLostPoints(const Model& model, std::span<const double> values, std::span<const FeatureDamage> damage,
                          const ModelFlags& flags) {
  unsigned kinds = 0;
  for (const FeatureDamage& feature : damage)
    if (feature.kind) kinds |= BitOf(*feature.kind);
  const auto scores = ScoresByMask(model, values, damage, flags, kinds);
  const int count = std::popcount(kinds);
  LostPoints lost;
  lost.score = scores[0];
  lost.best = scores[kinds];
  for (unsigned mask = 0; mask < scores.size(); ++mask)
    for (int kind = 0; kind < kDamages; ++kind) {
      const unsigned bit = 1U << kind;
      if ((kinds & bit) == 0 || (mask & bit) != 0 || (mask & ~kinds) != 0) continue;
      const int before = std::popcount(mask);
      lost.points[kind] +=
          Factorial(before) * Factorial(count - before - 1) / Factorial(count) * (scores[mask | bit] - scores[mask]);
    }
  DivideKinds(values, damage, lost);
  return lost;
}

LostPoints MeanLostPoints(std::span<const LostPoints> frames) {
  LostPoints mean;
  const double share = frames.empty() ? 0 : 1.0 / static_cast<double>(frames.size());
  for (const LostPoints& frame : frames) {
    for (int kind = 0; kind < kDamages; ++kind) mean.points[kind] += frame.points[kind] * share;
    mean.best += frame.best * share;
    mean.score += frame.score * share;
  }
  return mean;
}

}  // namespace acutance
