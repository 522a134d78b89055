// Black bars round a video's pictures.
#pragma once

#include <optional>

#include "image/rectangle.h"
#include "io/video_source.h"

namespace acutance {

/// The part of the pictures that is not bars in any of them. Dark pictures tell nothing: their edges only look like
/// bars.
class BarFinder {
 public:
  void Add(const Picture& picture);

  /// nullopt: all pictures were too dark to tell. Bars thinner than a hundredth of the side are none.
  std::optional<Rectangle> content() const;

  /// Whether there are none, whatever further pictures show.
  bool has_none() const;

 private:
  PictureFormat format_;
  std::optional<Rectangle> seen_;
};

/// Looks at pictures that lie all over the video, as it is shown. Reads the file `path`, which must not be a pipe.
Result<std::optional<Rectangle>> FindBlackBars(const std::string& path, OpenOptions options);

}  // namespace acutance
