// How sure each frame of a path is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/fit_path.h"
#include "align/path_search.h"

namespace acutance {

/// The reference frames that a path has the distorted frames show: of a frame that stands for none of its own, the one
/// that the path stops at.
std::vector<int64_t> DisplayedFrames(const FrameClock& clock, const FramePath& path, const FittedPath& fitted);

/// Whether two reference frames differ by little, for what distorted frame j, an encode of the first, left of it.
bool LookAlike(const FittedPath& fitted, int64_t j, int64_t i, int64_t other);

/// Leaves out frames of which the path cannot tell which of two frames they show, and takes those that repeat one for
/// sure. Where the two look alike, for what the encode left of them, it does not matter.
void Judge(const FramePath& path, std::span<const int64_t> judged, const std::vector<FramePath::Rival>& rivals,
           FittedPath& fitted);

/// Leaves out the first and last few frames where these show later or earlier ones than the frames beside them have it:
/// encoders that filter over time leave a mean of the frames about where their video begins and ends.
void MarkAmbiguousEnds(FittedPath& fitted);

/// The same where the path keeps to frame k for frame k between its ends: so do these. False: it does not.
bool KeepEndsPlain(FittedPath& fitted);

/// The share of frames of a path frame by frame that lie nearer to their own reference frame than to the ones before
/// and after it, or whose own differs little from these.
double ShareInStep(const FittedPath& fitted);

}  // namespace acutance
