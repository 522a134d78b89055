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
  /// Reads the frames of the ranges [first, end) of numbers from `origin` on, which is the video's frame of number 0.
  static Result<ClipFrames> Read(const std::string& path, const OpenOptions& open,
                                 const std::vector<std::pair<int64_t, int64_t>>& ranges, int64_t origin);

  /// Null: it was not read.
  const Picture* Find(int64_t frame) const;
  const std::map<int64_t, Picture>& frames() const { return frames_; }
  const PictureFormat& format() const { return format_; }

 private:
  PictureFormat format_;
  std::map<int64_t, Picture> frames_;
};

}  // namespace acutance
