// Frame alignment of two videos by fingerprints and timestamps.
#pragma once

#include <string>

#include "align/alignment.h"
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

}  // namespace acutance
