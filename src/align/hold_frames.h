// What a viewer sees where a video lacks frames: the frame on the screen at that time.
#pragma once

#include <cstdint>
#include <span>

#include "align/alignment.h"

namespace acutance {

struct ShownVideo {
  int64_t count = 0;                // of frames
  std::span<const double> times{};  // of frames, in seconds; empty: not known
};

/// Pairs the reference frames that have no distorted frame of their own with the one on the screen: the last that is
/// shown no later, counted from the pair before, by the videos' times or else by the numbers of frames. Frames before
/// the first pair, and after the distorted video's end, stay without one.
void HoldFrames(const ShownVideo& reference, const ShownVideo& distorted, Alignment& alignment);

}  // namespace acutance
