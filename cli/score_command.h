#pragma once

#include "cli/score_args.h"
#include "engine/score_run.h"
#include "report/number_format.h"

namespace acutance::cli {

/// Runs `acutance score`; returns the exit status: 0 every frame was scored, 1 the run failed, 130 after Ctrl-C.
int RunScoreCommand(const ScoreArgs& args);

/// What would keep the logs from being written.
Status CheckOutputs(const ScoreArgs& args);

/// Prints the scores and writes the logs of a run that has a session; returns the exit status.
int ReportScores(const ScoreArgs& args, const ScoredRun& result, const NumberFormat& numbers);

}  // namespace acutance::cli
