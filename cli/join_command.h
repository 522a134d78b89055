// `acutance join`: the logs of a run from the journals of its parts.
#pragma once

#include <string>
#include <vector>

#include "cli/score_request.h"

namespace acutance::cli {

/// Only the options of logs in `request` count. Returns the exit status.
int RunJoinCommand(const std::vector<std::string>& journals, ScoreRequest& request);

}  // namespace acutance::cli
