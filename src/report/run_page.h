// The page that shows a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/run_view.h"
#include "report/summary.h"

namespace acutance {

/// Number of the worst frames of all videos that are shown with their pictures.
inline constexpr int kFramesShown = 6;

/// How many frames of each of `videos` videos a page shows: at least two.
int FramesShownOf(size_t videos);

struct PageChoice {
  std::vector<std::string> receipt{};  // lines for the foot
  bool is_small = false;               // for a notebook: curves of fewer points, no pictures
  std::string encodes_part{};          // Page::encodes_part
  int64_t first_frame = 0;             // and others of Page
  bool pictures_first = false;
};

/// The page's HTML.
std::string ReportPage(const Summary& summary, const RunView& view, PageChoice choice);

/// Adds the `count` worst seconds of each video to the summary, with what is wrong there: causes are more exact
/// where the run retained their worst frames.
void AddWorstSeconds(const RunView& view, int count, Summary& summary);

/// All frames of which one in `subsample` is scored, or at most `most` of them: one of each of `most` equal parts, at
/// places that repeat with no period, as encodes do with their key frames. The same in each call.
std::vector<int64_t> SampledFrames(int64_t frames, int subsample, int64_t most);

}  // namespace acutance
