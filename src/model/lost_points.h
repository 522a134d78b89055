// Lost points: how much each kind of damage costs a model's score.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/damage.h"
#include "model/model.h"
#include "model/predict.h"

namespace acutance {

/// The damage that a model's feature detects, and its value for an encode without loss.
struct FeatureDamage {
  std::optional<Damage> kind{};  // nullopt: the feature describes the content
  double ideal = 0;
  /// Another kind, and how much of what the value lacks to the ideal is that.
  Damage part_kind{};
  double part = 0;
};

/// The points that a frame lacks to the score of an encode without loss.
struct LostPoints {
  double points[kDamages] = {};  // by Damage
  double best = 0;               // the score without loss: the content's own limit, at most
  double score = 0;              // as it is; best less all points
};

/// Sets features to their ideal one kind after another; a kind counts the mean of its gain over all orders (Shapley
/// 1953, "A value for n-person games"), so that points add up. damage: of each of the model's features.
LostPoints FindLostPoints(const Model& model, std::span<const double> values, std::span<const FeatureDamage> damage,
                          const ModelFlags& flags);

LostPoints MeanLostPoints(std::span<const LostPoints> frames);

}  // namespace acutance
