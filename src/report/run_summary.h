// The summary of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/run_view.h"
#include "report/summary.h"
#include "stats/pool.h"
#include "stats/requirement.h"
#include "stats/segments.h"

namespace acutance {

/// Contents of a summary in addition to the scores.
struct SummaryChoice {
  std::string reference;
  std::vector<std::string> distorted;
  int threads = 1;
  std::vector<NamedPool> pools = {};  // empty: the default poolings
  std::optional<SegmentSpec> segments = {};
  std::vector<Requirement> requirements = {};
};

/// Makes a summary with segments, shots and verdicts. It fails where a segment or a requirement cannot be evaluated.
/// The summary refers to the tables and alignments of `view`.
Result<Summary> MakeSummary(const SummaryChoice& choice, const RunView& view);

}  // namespace acutance
