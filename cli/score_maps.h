// The files of `acutance score --maps DIR --worst N`.
#pragma once

#include <string>

#include "base/status.h"
#include "engine/score_run.h"

namespace acutance::cli {

/// Of the `count` worst frames of each video the pictures, and each feature's map as PNG and NPY.
Status WriteWorstMaps(const std::string& folder, int count, const ScoredRun& result);

}  // namespace acutance::cli
