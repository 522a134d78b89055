// The points of a ladder as CSV in the columns of the AOM's common test conditions.
#pragma once

#include <string>
#include <vector>

#include "report/ladder.h"
#include "report/summary.h"

namespace acutance {

/// A line for each encode; cells of what was not computed, or not in the unit that a column asks for, are empty.
std::string CtcCsv(const Summary& summary, const std::vector<LadderCurve>& curves);

/// A warning for each score that was computed in another unit than its column asks for.
std::vector<std::string> CtcWarnings(const Summary& summary);

}  // namespace acutance
