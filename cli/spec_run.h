// Scoring as both commands start it: models from their specs, and Ctrl-C.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/specs.h"
#include "run/score_run.h"

namespace acutance::cli {

/// What becomes of an option that its metric does not have, and of one for a metric that does not exist.
enum class UnknownOptions {
  kRefused,
  kIgnored,  // with a warning; libvmaf's tool is silent
};

/// Loads the models into a request whose runs the first Ctrl-C cancels, and returns warnings.
Result<std::vector<std::string>> AddSpecs(const std::vector<ModelSpec>& models, RunRequest& request);

/// Loads the models into the request and runs it; the first Ctrl-C cancels it. predict: false computes the models'
/// features only.
ScoredRun LoadModelsAndRun(RunRequest request, const std::vector<ModelSpec>& models,
                           UnknownOptions unknown = UnknownOptions::kRefused, bool predict = true);

}  // namespace acutance::cli
