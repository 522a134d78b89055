// Prediction: from a frame's features to its score, in IEEE doubles in exactly this order
// (docs/spec/system.md 1.2-1.5).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace acutance {

struct ModelFlags {
  bool disable_clip = false;
  bool enable_transform = false;  // no effect on a model without score_transform
  bool disable_transform = false;
};

/// The score of one frame; values[i] is of model.features[i]. A collection gives the score of its main model.
double Predict(const Model& model, std::span<const double> values, ModelFlags flags = {});

/// The scores that a collection gives for one frame.
struct BootstrapScores {
  std::vector<double> members;  // each member's own score, transformed and clipped
  double bagging = 0;
  double stddev = 0;
  double ci_p95_lo = 0;
  double ci_p95_hi = 0;
};
BootstrapScores PredictBootstrap(const Model& collection, std::span<const double> values, ModelFlags flags = {});

/// Columns that a model writes, in order: its name, or for a collection <name>_0001 ..., <name>_bagging,
/// <name>_stddev, <name>_ci_p95_lo, <name>_ci_p95_hi.
std::vector<std::string> ScoreColumns(const Model& model);

/// Traits of the columns. first_key: the stored name of features[0] with its options.
ScoreTraits ColumnTraits(const Model& model, std::string_view first_key);

/// One value per name of ScoreColumns.
std::vector<double> PredictColumns(const Model& model, std::span<const double> values, ModelFlags flags = {});

}  // namespace acutance
