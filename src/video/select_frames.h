// A video of which some frames are handed out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "io/video_source.h"

namespace acutance {

/// `frames` grow. A video that ends before the last of them ends there.
std::unique_ptr<VideoSource> SelectFrames(std::unique_ptr<VideoSource> source, std::vector<int64_t> frames);

}  // namespace acutance
