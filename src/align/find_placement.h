// Whether one video shows a part of the other's picture, cut and scaled to full size, as their fingerprints tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "align/frame_track.h"
#include "align/placement.h"

namespace acutance {

struct FoundPlacement {
  Placement placement;
  /// False: at other distances in time the videos fit as well in another placement, as where a camera pans evenly.
  bool is_sure = true;
  std::vector<Placement> others{};  // of these, those farthest apart in time; none where it is sure
  /// The one of these at which frame k shows a part of frame k, if there is one.
  std::optional<Placement> in_step{};
};

/// The placement in which frames fit far better than as they are, whatever frames are paired. By `pairs`, or frames
/// near to them, and where there are none by all offsets within kMostSecondsApart. nullopt: there is none, or it is the
/// whole but for less than one can see.
std::optional<FoundPlacement> FindPlacement(const FrameTrack& reference, const FrameTrack& distorted,
                                            const std::vector<std::pair<int64_t, int64_t>>& pairs);

/// Whether it is worth asking FindPlacement about frames that are paired one by one; costs a fraction of a millisecond.
bool MayBeCropped(const std::vector<FrameFingerprint>& reference, const std::vector<FrameFingerprint>& distorted);

/// Up to 12 numbers of frames, evenly spaced.
std::vector<int64_t> SampleFrameNumbers(int64_t count);

}  // namespace acutance
