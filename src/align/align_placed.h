// Frame alignment of two videos of which one may show a cropped part of the other's picture.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "align/alignment.h"
#include "align/find_placement.h"
#include "align/frame_track.h"
#include "base/status.h"

namespace acutance {

struct PlacedAlignment {
  Result<Alignment> alignment;
  /// What the distorted picture shows of the reference's; nullopt: all of it, or no crop was found.
  std::optional<FoundPlacement> placement;
};

/// AlignTracks of whole videos, cropped to what both show. Refuses videos of which one alone has black bars, and crops
/// that fit in several ways.
PlacedAlignment AlignPlaced(const FrameTrack& reference, const FrameTrack& distorted);

/// AlignPlaced for a diagnosis. Where that refuses or leaves pictures that do not fit, also tries rates that the
/// streams do not declare, and crops that are too large for scores to correct.
PlacedAlignment AlignForDiagnosis(const FrameTrack& reference, const FrameTrack& distorted);

/// Both tracks cropped to what both show.
std::pair<FrameTrack, FrameTrack> CropToShared(const Placement& placement, const FrameTrack& reference,
                                               const FrameTrack& distorted);

/// Up to 12 frames of each video, evenly spaced over pairs of frames: frame k of one is aligned with frame k of the
/// other. Without times.
std::pair<FrameTrack, FrameTrack> SamplePairs(const FrameTrack& reference, const FrameTrack& distorted,
                                              const std::vector<std::pair<int64_t, int64_t>>& pairs);

/// Whether videos of which these are frames in pairs may have bars or be cropped, so that AlignPlaced is needed.
bool NeedsCropSearch(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
