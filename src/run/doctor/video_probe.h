// Measurements of one video for the doctor: fingerprints, some pictures, interlacing, detail and damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/frame_track.h"
#include "image/rectangle.h"
#include "io/video_source.h"
#include "video/fit_videos.h"

namespace acutance {

struct VideoProbe {
  std::string name;
  PictureFormat format;  // as displayed
  VideoColor color;
  VideoFacts facts;
  std::optional<double> frame_rate;
  std::optional<Rectangle> content;       // without black bars; not set: too dark to detect them
  FrameTrack track;                       // of the content, of all frames that were decoded
  std::vector<Picture> pictures;          // some whole ones, luma alone
  std::vector<int64_t> picture_frames{};  // their frame numbers
  int64_t frames = 0;                     // all that were decoded
  double combing = 0;                     // InterlaceDetector::combing
  double unevenness = 0;                  // InterlaceDetector::unevenness
  double detail = 0;                      // the mean difference of neighbouring samples, in 8-bit samples
  Status damage;                          // why decoding stopped
};

inline Rectangle WholeOf(const VideoProbe& video) { return {video.format.width, video.format.height}; }
/// Without black bars, where they were detected.
inline Rectangle ContentOf(const VideoProbe& video) { return video.content.value_or(WholeOf(video)); }
inline ShapedVideo ShapedOf(const VideoProbe& video) {
  return {video.format, ContentOf(video), video.facts.pixel_aspect};
}

/// Whether a compressed video has a mezzanine's bitrate, above 0.8 bits per luma sample.
bool IsHighQualitySource(const VideoProbe& video);

/// Reads at most 4000 frames of the file, and pictures of the first 400. Fails where it cannot be opened.
Result<VideoProbe> ProbeVideo(const std::string& path, const OpenOptions& options);

}  // namespace acutance
