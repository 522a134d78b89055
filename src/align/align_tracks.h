// Frame alignment of two videos by fingerprints and timestamps; one may show a cropped part of the other's picture.
#pragma once

#include <optional>
#include <utility>

#include "align/alignment.h"
#include "align/find_placement.h"
#include "align/frame_track.h"
#include "base/status.h"

namespace acutance {

/// How far apart aligned frames of two videos may lie at the start, and how far they may drift.
inline constexpr double kMostSecondsApart = 10;

/// Frames that are displayed at the same time, to the nearest, one reference frame for one distorted.
Alignment AlignByTimes(const FrameTrack& reference, const FrameTrack& distorted);

/// Distorted frame k + late is aligned with reference frame k.
Alignment AlignByOffset(int64_t reference_count, int64_t distorted_count, int64_t late);

/// The result of AlignTracks where IsIdentityAlignment holds.
Alignment AlignPlainly(int64_t reference_count, int64_t distorted_count);

/// Aligns by fingerprints, and by times where fingerprints cannot decide and times fit. Refuses videos that share no
/// frames, or whose frames fit in several ways and not at their times: the message begins after the names of the
/// videos.
Result<Alignment> AlignTracks(const FrameTrack& reference, const FrameTrack& distorted);

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
                                              const PairList& pairs);

/// Whether videos of which these are frames in pairs may have bars or be cropped, so that AlignPlaced is needed.
bool NeedsCropSearch(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
