// Pairs the frames of two videos of which one may show a part of the other's picture.
#pragma once

#include <optional>

#include "align/alignment.h"
#include "align/find_placement.h"
#include "align/frame_track.h"
#include "base/status.h"

namespace acutance {

struct PlacedAlignment {
  Result<Alignment> alignment;
  /// What the distorted picture shows of the reference's; nullopt: all of it, as far as one can tell.
  std::optional<FoundPlacement> placement;
};

/// What AlignTracks says of whole videos, cut to what both show. Refuses a video with bars that the other has not, and
/// what is cut in a way that frames do not tell.
PlacedAlignment AlignPlaced(const FrameTrack& reference, const FrameTrack& distorted);

/// Whether videos of which these are frames in pairs may have bars or be cut, so that AlignPlaced must be asked.
bool NeedsCropSearch(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
