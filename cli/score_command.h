#pragma once

#include "cli/score_request.h"
#include "report/run_summary.h"
#include "report/summary.h"
#include "run/score_run.h"

namespace acutance::cli {

/// Runs `acutance score`; returns the exit status: 0 every frame was scored, 1 the run failed, 3 a
/// requirement does not hold, 130 after Ctrl-C.
int RunScoreCommand(const ScoreRequest& request);

/// What the summary holds.
SummaryChoice ChoiceOf(const ScoreRequest& request);

/// What would keep the logs from being written.
Status CheckOutputs(const ScoreRequest& request);

/// The logs, pairs, report and JUnit file of a run.
Status WriteOutputs(const ScoreRequest& request, const ScoredRun& result, const Summary& summary,
                    const std::string& encodes_part = "");

/// Says which requirements fail, on standard error; the exit status.
int JudgeOutputs(const ScoreRequest& request, const Summary& summary);

/// Prints the scores and writes the logs of a run that has a session; returns the exit status. A run that a gate
/// stopped leaves no log.
int ReportScores(const ScoreRequest& request, const ScoredRun& result, bool was_stopped = false);

}  // namespace acutance::cli
