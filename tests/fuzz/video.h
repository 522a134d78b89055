// Reads a video to its end as a session does.
#pragma once

#include <utility>

#include "io/video_source.h"
#include "video/open_video.h"

namespace acutance::fuzz {

/// Touches the first and last sample of each plane, which may lie in a mapped file.
inline int TouchPlanes(const Picture& picture) {
  int sum = 0;
  for (const Plane& plane : picture.planes) {
    if (!plane.data || plane.width < 1 || plane.height < 1) continue;
    const std::byte* last = plane.data + (plane.height - 1) * plane.stride;
    sum += static_cast<int>(plane.data[0]) + static_cast<int>(last[plane.width - 1]);
  }
  return sum;
}

inline void ReadAll(const std::string& path, const OpenOptions& options, bool skips_chroma, int skip) {
  constexpr int kMostPictures = 64;
  Result<std::unique_ptr<VideoSource>> video = OpenVideo(path, options);
  if (!video.ok()) return;
  if (skips_chroma) (*video)->SkipChroma();
  static_cast<void>((*video)->frame_count());
  if (skip > 0 && !(*video)->Skip(skip).ok()) return;
  volatile int sink = 0;
  for (int i = 0; i < kMostPictures; ++i) {
    const Result<std::optional<Picture>> picture = (*video)->Next();
    if (!picture.ok() || !picture->has_value()) break;
    sink = sink + TouchPlanes(**picture);
  }
  static_cast<void>((*video)->CheckIntact());
}

}  // namespace acutance::fuzz
