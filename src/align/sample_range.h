// Whether the samples of two videos have the ranges that their streams tell.
#pragma once

#include <optional>
#include <string>

#include "align/frame_track.h"

namespace acutance {

/// Frame k of one belongs to frame k of the other; is_full: what the stream tells, and runs convert by.
struct RangedFrames {
  const std::string& name;
  const FrameTrack& track;
  bool is_full = false;
};

/// A sentence for a person where brightness fits as full range beside limited does, and the streams tell otherwise, or
/// fits as it is though they tell different ranges. An enhanced contrast may look so, too.
std::optional<std::string> CheckSampleRange(const RangedFrames& reference, const RangedFrames& distorted);

}  // namespace acutance
