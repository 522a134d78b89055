// Which kinds of damage cost a model's score how many points.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/damage.h"
#include "model/model.h"
#include "model/predict.h"

namespace acutance {

/// Which damage a model's feature sees, and its value for an encode without loss.
struct FeatureDamage {
  std::optional<Damage> kind{};  // nullopt: the feature tells of the content
  double ideal = 0;
  /// Another kind, and how much of what the value lacks to the ideal is that.
  Damage part_kind{};
  double part = 0;
};

/// What is missing to the score of a frame whose features are those of an encode without loss.
struct LostPoints {
  double points[kDamages] = {};  // by Damage
  double best = 0;               // the score without loss: the content's own limit, at most
  double score = 0;              // as it is; best less all points
};

/// Features are made perfect one kind after another, and each kind counts the mean of what that gains over all orders
/// (Shapley 1953, "A value for n-person games"), so that points add up. damage: of each of the model's features.
LostPoints FindLostPoints(const Model& model, std::span<const double> values, std::span<const FeatureDamage> damage,
                          const ModelFlags& flags);

/// The mean of several frames'.
LostPoints MeanLostPoints(std::span<const LostPoints> frames);

}  // namespace acutance
