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

#include "align/alignment.h"
#include "base/status.h"
#include "devices/backends.h"
#include "engine/feature_set.h"
#include "engine/model_run.h"
#include "engine/session.h"
#include "image/picture.h"

namespace acutance::api {

Status ToPublic(const acutance::Status& status);
PictureFormat ToPublic(const acutance::PictureFormat& format);
acutance::PictureFormat ToEngine(const PictureFormat& format);
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
acutance::Status CheckMaps(const SessionOptions& options);

struct ResultAccess {
  /// Takes the scores out of a flushed session.
  static Result Make(const acutance::Session& session, int videos, const acutance::PictureFormat& format,
                     double seconds, std::vector<std::string> warnings,
                     std::vector<acutance::Alignment> alignments = {});
};

}  // namespace acutance::api
