// Conversions between the public types of include/acutance and the engine's own.
#pragma once

#include <acutance/model.h>
#include <acutance/picture.h>
#include <acutance/result.h>
#include <acutance/session.h>
#include <acutance/status.h>

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "devices/backends.h"
#include "engine/feature_set.h"
#include "engine/model_run.h"
#include "engine/session.h"
#include "image/picture.h"
#include "run/score_run.h"

namespace acutance::api {

acutance::Picture ToEngine(const Picture& picture);

struct ModelAccess {
  static ModelRequest Request(const Model& model);
};

/// Features, models and device of a session.
std::vector<FeatureRequest> ToEngine(const std::vector<Feature>& features);
std::vector<ModelRequest> ToEngine(const std::vector<Model>& models);
DeviceChoice ChoiceOf(const SessionOptions& options);
int ThreadsOf(const SessionOptions& options);
ArtifactSink SinkOf(const SessionOptions& options);  // null where on_artifact is not set
Status CheckMaps(const SessionOptions& options);

struct ResultAccess {
  /// Names of the videos in reports and summaries, and the number of threads.
  struct Names {
    std::string reference;
    std::vector<std::string> distorted;
    int threads = 1;
  };

  /// Takes the scores out of the flushed sessions of a run.
  static Result Make(acutance::ScoredRun run, Names names);
};

}  // namespace acutance::api
