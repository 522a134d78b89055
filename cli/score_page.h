// What `acutance score --report` shows of a run.
#pragma once

#include <string>
#include <vector>

#include "engine/score_run.h"
#include "report/summary.h"

namespace acutance::cli {

/// So many of the worst frames of all videos are shown with their pictures.
inline constexpr int kFramesShown = 6;

/// Of each of `videos` videos: at least two.
int FramesShownOf(size_t videos);

/// The page's HTML.
std::string ReportPage(const Summary& summary, const ScoredRun& result, std::vector<std::string> receipt);

}  // namespace acutance::cli
