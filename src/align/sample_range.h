// Mismatch between the declared sample ranges (full, limited) of two videos and their aligned pictures.
#pragma once

#include <optional>
#include <string>

#include "align/frame_track.h"

namespace acutance {

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
