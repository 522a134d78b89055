// Scoring as both commands start it: models from their specs, and Ctrl-C.
#pragma once

#include <vector>

#include "cli/specs.h"
#include "engine/score_run.h"

namespace acutance::cli {

/// Loads the models into the request and runs it; the first Ctrl-C cancels it. predict: false computes the models'
/// features only.
ScoredRun RunSpecs(RunRequest request, const std::vector<ModelSpec>& models, bool predict = true);

}  // namespace acutance::cli
