#include "run/explain/clip_frames.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "video/open_video.h"

namespace acutance {

Result<ClipFrames> ClipFrames::Read(const std::string& path, const OpenOptions& open,
                                    const std::vector<std::pair<int64_t, int64_t>>& ranges) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> source, OpenAsDisplayed(path, open));
  ClipFrames clip;
  clip.format_ = source->format();
  for (;; ++clip.count_) {
    ACU_ASSIGN_OR_RETURN(std::optional<Picture> picture, source->Next());
    if (!picture) return clip;
    const auto holds = [&](const auto& range) { return clip.count_ >= range.first && clip.count_ < range.second; };
    if (std::ranges::any_of(ranges, holds)) clip.frames_.emplace(clip.count_, *std::move(picture));
  }
}

const Picture* ClipFrames::Find(int64_t frame) const {
  const auto found = frames_.find(frame);
  return found == frames_.end() ? nullptr : &found->second;
}

}  // namespace acutance
