// Scoring as both commands start it: models loaded by their names, and Ctrl-C.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/terminal.h"
#include "run/model_spec.h"
#include "run/score_run.h"

namespace acutance::cli {

/// The options of a feature's metric; an unknown metric or option is an error.
Result<OptionValues> OptionsOf(const FeatureRequest& feature);

/// Loads the models of a request whose runs the first Ctrl-C cancels, and returns warnings.
Result<std::vector<std::string>> Prepare(RunRequest& request);

/// Loads the models of the request and runs it; the first Ctrl-C cancels it. predict: false computes the models'
/// features only.
ScoredRun LoadModelsAndRun(RunRequest request, UnknownOptions unknown = UnknownOptions::kRefused, bool predict = true);

/// Draws the progress of a session where it is due, with the running mean of its first model.
void ShowProgress(const Session& session, std::optional<int64_t> total, Progress& progress);

}  // namespace acutance::cli
