// Images as PNG files.
#pragma once

#include <string>

#include "report/picture_image.h"

namespace acutance {

/// Each row less the one above it, coded by how often its bytes are and by runs: some times faster than a search for
/// what repeats, which video rarely does, and about as small.
std::string Png(const RgbImage& image);

}  // namespace acutance
