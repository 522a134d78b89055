#pragma once

#include "cli/score_args.h"
#include "log/number_format.h"
#include "report/run_summary.h"
#include "report/summary.h"
#include "run/score_run.h"

namespace acutance::cli {

/// Runs `acutance score`; returns the exit status: 0 every frame was scored, 1 the run failed, 3 a
/// requirement does not hold, 130 after Ctrl-C.
int RunScoreCommand(const ScoreArgs& args);

/// The run that the arguments ask for, without models by name.
RunRequest MakeRequest(const ScoreArgs& args);

/// What the summary is to tell.
SummaryChoice ChoiceOf(const ScoreArgs& args);

/// What would keep the logs from being written.
Status CheckOutputs(const ScoreArgs& args);

/// The logs, pairs, report and JUnit file of a run.
Status WriteOutputs(const ScoreArgs& args, const ScoredRun& result, const Summary& summary, const NumberFormat& numbers,
                    const std::string& encodes_part = "");

/// Says which requirements fail, on standard error; the exit status.
int JudgeOutputs(const ScoreArgs& args, const Summary& summary);

/// Prints the scores and writes the logs of a run that has a session; returns the exit status. A run that a gate
/// stopped leaves no log.
int ReportScores(const ScoreArgs& args, const ScoredRun& result, const NumberFormat& numbers, bool was_stopped = false);

}  // namespace acutance::cli
