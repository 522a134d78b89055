// Path confidence: how sure each frame of a path is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/path/fit_path.h"
#include "align/path/path_search.h"

namespace acutance {

/// The reference frames that a path assigns to the distorted frames; for a held frame, the one that the path stops at.
std::vector<int64_t> DisplayedFrames(const FrameClock& clock, const FramePath& path, const FittedPath& fitted);

/// Whether two reference frames differ by little, for what distorted frame j, an encode of the first, left of it.
bool LookAlike(const FittedPath& fitted, int64_t j, int64_t i, int64_t other);

/// Leaves out ambiguous frames, which may show either of two reference frames, and takes those that surely repeat one.
/// Where the two look alike in the encode, it does not matter.
void MarkAmbiguous(const FramePath& path, std::span<const int64_t> judged, const std::vector<FramePath::Rival>& rivals,
                   FittedPath& fitted);

/// Leaves out the first and last few frames where they fit later or earlier frames than their neighbours suggest:
/// encoders that filter over time leave a mean of several frames where their video begins and ends.
void MarkAmbiguousEnds(FittedPath& fitted);

/// Extends a path that aligns frame k with frame k to its first and last frames. False: it does not between them.
bool ExtendIdentityToEnds(FittedPath& fitted);

/// The share of frames of a path frame by frame that lie nearer to their own reference frame than to the ones before
/// and after it, or whose own differs little from these.
double ShareInStep(const FittedPath& fitted);

}  // namespace acutance
