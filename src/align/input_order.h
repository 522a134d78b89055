// Input order check: whether metadata suggests that reference and encode were swapped.
#pragma once

#include <acutance/facts.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "video/fit_videos.h"

namespace acutance {

/// Warning text if metadata alone (no decoding) suggests that the inputs are swapped: both are lossy, and `reference`
/// has far fewer bits per second.
std::optional<std::string> CheckInputOrder(const PairReaderInput& reference, const PairReaderInput& encode);

/// Whether the codec is one for delivery. Raw and lossless video and mezzanine codecs are not: their bitrates do not
/// show which of two videos was made from the other.
inline bool IsLossy(const VideoFacts& facts) {
  constexpr std::string_view kSources[] = {"",        "rawvideo", "v210",   "ffv1",  "huffyuv",
                                           "ffvhuff", "utvideo",  "prores", "dnxhd", "png"};
  return std::ranges::find(kSources, facts.codec) == std::end(kSources);
}

}  // namespace acutance
