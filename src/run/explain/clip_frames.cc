#include "run/explain/clip_frames.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "video/open_video.h"

namespace acutance {

Result<ClipFrames> ClipFrames::Read(const std::string& path, const OpenOptions& open,
                                    const std::vector<std::pair<int64_t, int64_t>>& ranges, int64_t origin) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> source, OpenAsDisplayed(path, open));
  ClipFrames clip;
  clip.format_ = source->format();
  const int64_t end = std::ranges::max(ranges, {}, &std::pair<int64_t, int64_t>::second).second;
  for (int64_t frame = -origin; frame < end; ++frame) {
    ACU_ASSIGN_OR_RETURN(std::optional<Picture> picture, source->Next());
    if (!picture) break;
    const auto holds = [&](const auto& range) { return frame >= range.first && frame < range.second; };
    if (std::ranges::any_of(ranges, holds)) clip.frames_.emplace(frame, *std::move(picture));
  }
  return clip;
}

const Picture* ClipFrames::Find(int64_t frame) const {
  const auto found = frames_.find(frame);
  return found == frames_.end() ? nullptr : &found->second;
}

}  // namespace acutance
