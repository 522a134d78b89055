#pragma once

#include "cli/score_args.h"

namespace acutance::cli {

/// Runs `acutance score`; returns the exit status: 0 every frame was scored, 1 the run failed, 130 after Ctrl-C.
int RunScoreCommand(const ScoreArgs& args);

}  // namespace acutance::cli
