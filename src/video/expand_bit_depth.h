// Pairs of unequal bit depth (docs/spec/system.md 5.4): the samples of the shallower video are
// shifted up to the depth of the other.
#pragma once

#include <memory>

#include "io/video_source.h"

namespace acutance {

/// `source` with its samples shifted left to `bit_depth`, which is larger than its own.
std::unique_ptr<VideoSource> RaiseBitDepth(std::unique_ptr<VideoSource> source, int bit_depth);

}  // namespace acutance
