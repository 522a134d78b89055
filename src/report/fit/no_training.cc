// Stands for train_model.cc where libsvm is not installed.
#include "report/fit/train_model.h"

namespace acutance {

bool CanTrain() { return false; }

Result<TrainedModel> TrainModel(const OpinionTable&, const TrainingOptions&) {
  return Error(StatusCode::kUnsupported, "this acutance was built without libsvm, which trains models");
}

}  // namespace acutance
