// Which videos have lost something by their coding.
#pragma once

#include <acutance/facts.h>

#include <algorithm>
#include <string_view>

namespace acutance {

/// Whether the video looks like an encode for people. Raw and lossless video is not, nor what studios keep: their bits
/// a second tell nothing of which of two videos was made from the other.
inline bool IsLossy(const VideoFacts& facts) {
  constexpr std::string_view kKept[] = {"",        "rawvideo", "v210",   "ffv1",  "huffyuv",
                                        "ffvhuff", "utvideo",  "prores", "dnxhd", "png"};
  return std::ranges::find(kKept, facts.codec) == std::end(kKept);
}

}  // namespace acutance
