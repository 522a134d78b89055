// Which kinds of damage cost a model's score how many points.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/predict.h"

namespace acutance {

enum class Damage { kDetail, kAddedDetail, kTexture, kBanding, kColor };
inline constexpr int kDamages = 5;
/// "detail lost", "detail added", ...
inline constexpr std::string_view kDamageNames[] = {"detail lost", "detail added", "sharpness and texture lost",
                                                    "banding", "color error"};

/// What is missing to the score of a frame whose features are those of an encode without loss.
struct LostPoints {
  double points[kDamages] = {};  // by Damage
  double best = 0;               // the score without loss: the content's own limit, at most
  double score = 0;              // as it is; best less all points
};

/// Features are made perfect one kind after another, and each kind counts the mean of what that gains over all orders
/// (Shapley 1953, "A value for n-person games"), so that points add up. aim: for each feature the value of `aim` that
/// went into it where it is adm3, else NaN; adm3's points are divided by the weights of its two parts.
LostPoints FindLostPoints(const Model& model, std::span<const double> values, std::span<const double> aim,
                          const ModelFlags& flags);

/// The mean of several frames'.
LostPoints MeanLostPoints(std::span<const LostPoints> frames);

}  // namespace acutance
