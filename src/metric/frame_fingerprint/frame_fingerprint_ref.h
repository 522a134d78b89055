// Fingerprints by plain loops.
#pragma once

#include <cstdint>
#include <vector>

#include "image/picture.h"

namespace acutance {

/// The words of one picture.
std::vector<int64_t> FrameFingerprintRef(const Plane& luma, int bit_depth);

}  // namespace acutance
