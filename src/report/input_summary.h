// What the summary says of a video as it was opened.
#pragma once

#include "report/summary.h"
#include "run/score_run.h"

namespace acutance {

SummaryInput SummaryOf(const InputFacts& input);

}  // namespace acutance
