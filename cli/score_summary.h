// The summary of a run, as `acutance score`, `compare` and `join` print it.
#pragma once

#include "cli/score_args.h"
#include "engine/score_run.h"
#include "report/summary.h"

namespace acutance::cli {

/// With segments, shots and verdicts; an error where a segment or a requirement cannot be told. It refers to the
/// scores of `result`.
Result<Summary> MakeSummary(const ScoreArgs& args, const ScoredRun& result);

}  // namespace acutance::cli
