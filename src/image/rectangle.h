// Rectangles of luma samples, and their bounds between chroma samples.
#pragma once

#include <string>

#include "image/picture.h"

namespace acutance {

/// A rectangle of luma samples.
struct Rectangle {
  int width = 0;
  int height = 0;
  int x = 0;
  int y = 0;

  bool operator==(const Rectangle&) const = default;
};

/// "1920:800:0:140", as FFmpeg's crop filter takes it.
std::string ToText(const Rectangle& rectangle);

/// How many samples of luma have one of chroma.
int ChromaStepX(PixelFormat pixel_format);
int ChromaStepY(PixelFormat pixel_format);

/// The largest rectangle inside that begins and ends between chroma samples.
Rectangle AlignToChroma(const Rectangle& rectangle, PixelFormat pixel_format);

}  // namespace acutance
