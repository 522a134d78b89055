// What the doctor remembers of a video: small pictures of its first frames, and what shows in them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/frame_track.h"
#include "image/rectangle.h"
#include "io/video_source.h"

namespace acutance {

inline constexpr int kThumbWidth = 48, kThumbHeight = 27;

/// Means of luma over a grid, as samples of 8 bits.
using Thumbnail = std::array<float, kThumbWidth * kThumbHeight>;

struct VideoProbe {
  std::string name;
  PictureFormat format;  // as shown
  VideoColor color;
  VideoFacts facts;
  std::optional<double> frame_rate;
  std::optional<Rectangle> content;  // not set: too dark to tell
  std::vector<Thumbnail> thumbs;     // of the content, of the first frames
  FrameTrack track;                  // of the content, of all frames that were decoded
  std::vector<Picture> pictures;     // some whole ones, luma alone
  std::vector<int> picture_frames;   // their frames
  int64_t frames = 0;                // all that were decoded
  double combing = 0;                // of moving samples; 0 where pictures do not hold two moments (fields.h)
  double unevenness = 0;             // of the times of its fields (fields.h)
  double detail = 0;                 // the mean difference of neighbouring samples
  Status damage;                     // why decoding stopped
};

/// Means over a part of a picture's luma.
Thumbnail MakeThumb(const Picture& picture, const Rectangle& part);

inline Rectangle WholeOf(const VideoProbe& video) { return {video.format.width, video.format.height}; }
/// Without black bars, where they can be told.
inline Rectangle ContentOf(const VideoProbe& video) { return video.content.value_or(WholeOf(video)); }

/// A compressed reference of many bits is no encode for people, and what was decoded or mended of another is no source.
bool IsHighQualitySource(const VideoProbe& video);

/// Reads the file at most so far. Fails where it cannot be opened.
Result<VideoProbe> Watch(const std::string& path, const OpenOptions& options, int64_t thumbs, int64_t frames);

}  // namespace acutance
