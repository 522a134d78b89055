// `acutance score --at-least N`: whether the mean reaches a bound, from as few frames as settle it.
#pragma once

#include "cli/score_request.h"

namespace acutance::cli {

/// Returns the exit status: 0 the mean reaches the bound, 3 it does not, 1 the run failed, 130 after Ctrl-C.
int RunMeanGate(const ScoreRequest& score);

}  // namespace acutance::cli
