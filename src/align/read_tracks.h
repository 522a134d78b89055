// Reads videos for their signatures alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "align/frame_signature.h"
#include "base/status.h"
#include "io/video_source.h"

namespace acutance {

/// Each video is read by a thread of its own, its luma alone. A video that is far longer than the shortest is left
/// where nothing of that can follow (FrameTrack::is_whole); `most_seconds` does the same for all. A video that is
/// damaged ends where the damage is: the run that scores it says so.
Result<std::vector<FrameTrack>> ReadTracks(const std::vector<std::unique_ptr<VideoSource>>& videos,
                                           std::optional<int64_t> most_frames);

}  // namespace acutance
