// Output of scores, which `acutance score`, `join`, `compare`, `ladder` and `serve` share.
#pragma once

#include "cli/score_request.h"
#include "report/run_summary.h"
#include "report/summary.h"
#include "run/score_run.h"

namespace acutance::cli {

/// What the summary holds.
SummaryChoice ChoiceOf(const ScoreRequest& request);

/// An error where an output could not be written.
Status CheckOutputs(const ScoreRequest& request);

/// The logs, pairs, report and JUnit file of a run.
Status WriteOutputs(const ScoreRequest& request, const ScoredRun& result, const Summary& summary,
                    const std::string& encodes_part = "");

/// Prints the requirements that fail on standard error; returns the exit status.
int JudgeOutputs(const ScoreRequest& request, const Summary& summary);

/// Prints the scores and writes the logs of a run that has a session; returns the exit status. A run that a gate
/// stopped leaves no log.
int ReportScores(const ScoreRequest& request, const ScoredRun& result, bool was_stopped = false);

}  // namespace acutance::cli
