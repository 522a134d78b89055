// Black bar detection in pictures, and in the fingerprints of two videos.
#pragma once

#include <optional>

#include "align/frame_track.h"
#include "base/status.h"
#include "image/rectangle.h"
#include "io/video_source.h"

namespace acutance {

/// The part of the pictures that is not bars in any of them. Dark pictures do not count: their edges look like bars.
class BarFinder {
 public:
  void Add(const Picture& picture);

  /// nullopt: all pictures were too dark to detect bars. Bars thinner than a hundredth of the side are ignored.
  std::optional<Rectangle> content() const;

  /// Whether there are none, regardless of further pictures.
  bool has_none() const;

 private:
  PictureFormat format_;
  std::optional<Rectangle> seen_;
};

/// Looks at pictures that lie all over the video, as it is shown. Reads the file `path`, which must not be a pipe.
Result<std::optional<Rectangle>> FindBlackBars(const std::string& path, OpenOptions options);

/// Fails where they differ: the message begins after the names of the videos.
Status CheckBars(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
