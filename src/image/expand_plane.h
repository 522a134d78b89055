// Samples of more bits: each is shifted up, as for pairs of unequal bit depth (docs/spec/system.md 5.4).
#pragma once

#include "image/picture.h"

namespace acutance {

/// Writes the plane's samples times 2^(to_depth - from_depth), of 16 bits each.
void ExpandPlane(const Plane& plane, int from_depth, int to_depth, std::byte* to, ptrdiff_t stride);

}  // namespace acutance
