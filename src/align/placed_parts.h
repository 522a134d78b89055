// A placement in samples, and what to type to have only what both videos show compared.
#pragma once

#include <string>

#include "align/placement.h"
#include "image/rectangle.h"

namespace acutance {

/// A video as far as its shape counts.
struct ShownPicture {
  std::string name;
  Rectangle part;  // that was looked at, of the picture as it is shown
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
