// Crop rectangles of a placement, and the options by which scores compare only what both videos show.
#pragma once

#include <string>

#include "align/placement.h"
#include "image/rectangle.h"

namespace acutance {

/// Size and pixel aspect of a video.
struct ShownPicture {
  std::string name;
  Rectangle part;  // that was fingerprinted, of the picture as displayed
  PixelFormat pixel_format = PixelFormat::k420;
  double pixel_aspect = 1;
};

struct PlacedParts {
  Rectangle reference, distorted;
  std::string sentence;  // which shows what part of which
  std::string options;   // of `acutance score`
};

/// Edges are rounded to chroma samples.
PlacedParts PartsOf(const Placement& placement, const ShownPicture& reference, const ShownPicture& distorted);

}  // namespace acutance
