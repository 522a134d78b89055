// Artifacts of a session: pictures that metrics hand out in addition to their scores.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

struct Artifact {
  std::string name;  // the metric's, and the options that show in its key: "cambi_heatmap_scale_0_ws_31"
  int64_t frame = 0;
  int distorted = -1;  // -1: the metric reads the reference alone
  Picture picture;
};

/// Called with one artifact at a time, in frame order. Its error ends the session.
using ArtifactSink = std::function<Status(const Artifact&)>;

}  // namespace acutance
