// Identity alignment: cheap tests of whether two videos fit frame by frame.
#pragma once

#include <cstdint>
#include <deque>

#include "align/frame_track.h"

namespace acutance {

/// The squared difference of the cells, less that of their means: an encode may be brighter. kSquareOfStep: a
/// difference of one step of an 8-bit sample in one cell.
double DistanceOf(const FrameFingerprint& a, const FrameFingerprint& b);
inline constexpr double kSquareOfStep = 32.0 * 32.0;

/// Whether each distorted frame is far nearer to the reference frame of its number than to those before and after it,
/// or these look alike, and most are. Costs about a microsecond per frame; false decides nothing.
bool IsIdentityAlignment(const FrameTrack& reference, const FrameTrack& distorted);
/// The same of the first `count` frames.
bool IsIdentityAlignment(const std::deque<FrameFingerprint>& reference, const std::deque<FrameFingerprint>& distorted,
                         int64_t count);

/// Evidence for aligning frame k with frame k, where nothing else is sure.
enum class IdentityEvidence {
  kFor,        // most frames lie nearer to their own number than to any about it
  kTooLittle,  // what the encode lost weighs more than what frames about differ by
  kAgainst,
};
IdentityEvidence IdentityEvidenceOf(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
