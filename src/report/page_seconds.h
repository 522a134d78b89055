// Seconds of a run by their mean score.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/page.h"

namespace acutance {

struct WorstSecond {
  int64_t first = 0;   // frame
  int64_t frames = 0;  // a second's; 24 where the rate is unknown
  double score = 0;    // the mean of the page's quality column
  int64_t worst = 0;   // its worst frame
};

/// The worst first. Seconds are counted from the first frame; the last one may be shorter.
std::vector<WorstSecond> FindWorstSeconds(const Page& page, size_t video, int count);

/// "0:12.48"; "frame 312" where the rate is unknown.
std::string Clock(const Page& page, int64_t frame);

}  // namespace acutance
