// Training of models that libvmaf loads: support vector regression from pooled features to opinions, by libsvm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "report/fit/agreement.h"
#include "report/fit/opinion_table.h"

namespace acutance {

struct TrainingOptions {
  std::vector<std::string>
      features;  // columns of the table: names of features as logs show them, or as they are stored
  double c = 4, nu = 0.9, gamma = 0.04;  // of VMAF v0.6.1
  bool searches = false;                 // tries other values, and takes those whose predictions are best
  int folds = 5;                         // of the cross-validation, by content
};

struct TrainedModel {
  std::string json;                 // for libvmaf and --model
  TrainingOptions options;          // those that were taken
  std::vector<double> predictions;  // of each encode by models that saw no encode of its content
  Agreements agreements;            // of these predictions
};

/// Whether this build has libsvm.
bool CanTrain();

Result<TrainedModel> TrainModel(const OpinionTable& table, const TrainingOptions& options);

}  // namespace acutance
