// Images as PNG files.
#pragma once

#include <string>

#include "report/picture_image.h"

namespace acutance {

/// The bytes of a PNG file: 8 bits a channel, each row coded as its difference from the row above, which suits video.
std::string Png(const RgbImage& image);

}  // namespace acutance
