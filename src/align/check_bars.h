// Whether one of two videos has black bars that the other has not, as their fingerprints tell it.
#pragma once

#include "align/frame_track.h"
#include "base/status.h"

namespace acutance {

/// Fails where they differ: the message begins after the names of the videos.
Status CheckBars(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
