// Journals of parts of a run -> the scores of the whole.
#pragma once

#include <string>
#include <vector>

#include "run/score_run.h"

namespace acutance {

struct JoinedRun {
  ScoredRun run;
  RunRequest request;  // the videos and what was asked of them
};

/// The journals in any order. Frames that several have must agree to the bit; one that none has is an error. The scores
/// are those of one run over all their frames.
JoinedRun JoinJournals(const std::vector<std::string>& paths, int threads);

}  // namespace acutance
