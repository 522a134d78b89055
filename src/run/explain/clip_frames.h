// Frames of a video around some positions, decoded once and held in memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "image/picture.h"
#include "io/video_source.h"

namespace acutance {

class ClipFrames {
 public:
  /// Reads the frames of the ranges [first, end), and counts those of the video.
  static Result<ClipFrames> Read(const std::string& path, const OpenOptions& open,
                                 const std::vector<std::pair<int64_t, int64_t>>& ranges);

  /// Null: it was not read.
  const Picture* Find(int64_t frame) const;
  const PictureFormat& format() const { return format_; }
  int64_t count() const { return count_; }

 private:
  PictureFormat format_;
  std::map<int64_t, Picture> frames_;
  int64_t count_ = 0;
};

}  // namespace acutance
