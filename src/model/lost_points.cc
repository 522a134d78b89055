#include "model/lost_points.h"

#include <array>
#include <bit>
#include <cmath>
#include <optional>

namespace acutance {
namespace {

/// What a feature sees, and its value for an encode without loss.
struct Ideal {
  Damage damage;
  double value;
};

std::optional<Ideal> IdealOf(std::string_view feature) {
  if (feature.find("vif") != feature.npos) return Ideal{Damage::kTexture, 1};
  if (feature.find("adm") != feature.npos) return Ideal{Damage::kDetail, 1};
  if (feature.find("cambi") != feature.npos) return Ideal{Damage::kBanding, 0};
  if (feature.find("speed_chroma") != feature.npos) return Ideal{Damage::kColor, 0};
  return std::nullopt;  // motion tells of the content, not of damage
}

/// The scores with the kinds of `mask` made perfect, for all masks.
std::array<double, 1 << kDamages> ScoresByMask(const Model& model, std::span<const double> values,
                                               const ModelFlags& flags, unsigned kinds) {
  std::array<double, 1 << kDamages> scores{};
  for (unsigned mask = 0; mask < scores.size(); ++mask) {
    if ((mask & ~kinds) != 0) continue;
    std::vector<double> mended(values.begin(), values.end());
    for (size_t i = 0; i < mended.size(); ++i)
      if (const auto ideal = IdealOf(model.features[i].name); ideal && mask >> static_cast<int>(ideal->damage) & 1)
        mended[i] = ideal->value;
    scores[mask] = Predict(model, mended, flags);
  }
  return scores;
}

double Factorial(int n) { return n < 2 ? 1 : n * Factorial(n - 1); }

double WeightOfDetail(const ModelFeature& feature) {
  const auto option = feature.options.find("adm_dlm_weight");
  return option == feature.options.end() ? 0.5 : std::strtod(option->second.c_str(), nullptr);
}

/// Gives detail that was added its share of what adm3 = w adm2 + (1 - w)(1 - aim) lost.
void DivideDetail(const Model& model, std::span<const double> values, std::span<const double> aim, LostPoints& lost) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (model.features[i].name.find("adm3") == std::string::npos || std::isnan(aim[i])) continue;
    const double missing = 1 - values[i];
    const double added = missing > 0 ? std::min(1.0, (1 - WeightOfDetail(model.features[i])) * aim[i] / missing) : 0;
    double& detail = lost.points[static_cast<int>(Damage::kDetail)];
    lost.points[static_cast<int>(Damage::kAddedDetail)] = detail * added;
    detail *= 1 - added;
  }
}

}  // namespace

LostPoints FindLostPoints(const Model& model, std::span<const double> values, std::span<const double> aim,
                          const ModelFlags& flags) {
  unsigned kinds = 0;
  for (const ModelFeature& feature : model.features)
    if (const auto ideal = IdealOf(feature.name)) kinds |= 1U << static_cast<int>(ideal->damage);
  const auto scores = ScoresByMask(model, values, flags, kinds);
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
  DivideDetail(model, values, aim, lost);
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
