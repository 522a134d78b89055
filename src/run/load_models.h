// Loading the models that a request names.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "run/score_run.h"

namespace acutance {

/// What becomes of an option that its metric does not have, and of one for a metric that does not exist.
enum class UnknownOptions {
  kRefused,
  kIgnored,  // with a warning; libvmaf's tool is silent
};

/// Adds the models of `request.choice` to those of the request and appends warnings, each once. predict: false computes
/// the models' features only.
Status LoadModels(RunRequest& request, std::vector<std::string>& warnings,
                  UnknownOptions unknown = UnknownOptions::kRefused, bool predict = true);

}  // namespace acutance
