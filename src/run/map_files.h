// Artifacts as files: a picture for each frame.
#pragma once

#include <string>

#include "base/status.h"
#include "engine/artifact.h"

namespace acutance {

/// Makes the folder, and what writes each artifact to a TIFF file there: <name>_<frame>.tif, six digits of the frame;
/// with several distorted videos video<n>_<name>_<frame>.tif, n from 0 on.
Result<ArtifactSink> MakeMapFiles(const std::string& folder, int distorted_count);

}  // namespace acutance
