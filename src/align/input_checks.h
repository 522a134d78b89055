// Checks of two inputs against their metadata: swapped order, wrong sample range.
#pragma once

#include <acutance/facts.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "align/frame_track.h"
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

/// distorted = slope * reference + shift, in 8-bit samples.
struct LumaLine {
  double slope = 1, shift = 0;
};

/// The line of most pairs of frames, frame k with frame k. nullopt: fewer than 3 pairs lie on a line that explains at
/// least `explained` (0 to 1) of their variance.
std::optional<LumaLine> FitLumaLine(const FrameTrack& reference, const FrameTrack& distorted, double explained);

/// Frame k of one is aligned with frame k of the other. is_full: what the stream declares, and runs convert by.
struct RangedFrames {
  const std::string& name;
  const FrameTrack& track;
  bool is_full = false;
};

struct RangeMismatch {
  enum class Kind {
    kReferenceIsFull,  // the streams declare one range, and the distorted pictures fit as limited next to full range
    kDistortedIsFull,  // the other way round
    kOneRange,         // the streams declare different ranges, and the pictures fit as they are
  };
  Kind kind;
  LumaLine line;
};

/// The slope must be within 0.03 and the shift within 4 samples of 8 bits of what a range gives. nullopt: the pictures
/// do not contradict the streams, or too few of them show it. Enhanced contrast can look like another range.
std::optional<RangeMismatch> FindRangeMismatch(const RangedFrames& reference, const RangedFrames& distorted);

/// The same as a warning of a run.
std::optional<std::string> CheckSampleRange(const RangedFrames& reference, const RangedFrames& distorted);

}  // namespace acutance
