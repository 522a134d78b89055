// `acutance join`: the logs of a run from the journals of its parts.
#pragma once

#include <string>
#include <vector>

#include "cli/score_args.h"

namespace acutance::cli {

/// Only the options of logs in `texts` count. Returns the exit status.
int RunJoinCommand(const std::vector<std::string>& journals, const ScoreTexts& texts);

}  // namespace acutance::cli
