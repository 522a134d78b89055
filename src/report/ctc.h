// The points of a ladder as CSV in the columns of the AOM's common test conditions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/ladder.h"
#include "report/summary.h"

namespace acutance {

/// A column of a quality.
struct CtcColumn {
  const char* title;
  const char* score;
  const char* unit = "";          // that the column asks for; empty: the feature's own
  const char* unit_options = "";  // which give it
};
std::span<const CtcColumn> CtcColumns();

/// The first line of a file of rate points, without checksums and counts of instructions.
std::string CtcTitles();

/// The quantizer in a file's name, as in "clip_QP_110.obu", "crf28.mp4" and "x-qp37.mkv"; empty: none.
std::string QuantizerOf(const std::string& name);

/// A line for each encode; cells of what was not computed, or not in the unit that a column asks for, are empty.
std::string CtcCsv(const Summary& summary, const std::vector<LadderCurve>& curves);

/// A warning for each score that was computed in another unit than its column asks for.
std::vector<std::string> CtcWarnings(const Summary& summary);

}  // namespace acutance
