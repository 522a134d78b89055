// Shape of a video's pictures as they are displayed: aspect ratio without black bars.
#pragma once

#include "image/rectangle.h"

namespace acutance {

/// A video's pictures, as they are shown, without their bars.
struct ShapedVideo {
  PictureFormat format;
  Rectangle content;
  double pixel_aspect = 1;

  double shape() const { return content.width * pixel_aspect / content.height; }
};

/// Whether shapes differ by more than rounding to whole chroma samples does.
bool ShapesDiffer(const ShapedVideo& reference, const ShapedVideo& distorted);

}  // namespace acutance
