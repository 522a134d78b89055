// What the summary says of a video as it was opened.
#pragma once

#include "engine/score_run.h"
#include "report/summary.h"

namespace acutance {

SummaryInput SummaryOf(const InputFacts& input);

}  // namespace acutance
