// Pairs of unequal bit depth (docs/spec/system.md 5.4): the samples of the shallower video are
// shifted up to the depth of the other.
#pragma once

#include <memory>

#include "io/video_source.h"

namespace acutance {

/// Writes the plane's samples times 2^(to_depth - from_depth), of 16 bits each.
void RaisePlane(const Plane& plane, int from_depth, int to_depth, std::byte* to, ptrdiff_t stride);

/// `source` with its samples shifted left to `bit_depth`, which is larger than its own.
std::unique_ptr<VideoSource> RaiseBitDepth(std::unique_ptr<VideoSource> source, int bit_depth);

}  // namespace acutance
