// Images as PNG and JPEG files.
#pragma once

#include <string>

#include "report/picture_image.h"

namespace acutance {

/// The bytes of a PNG file: 8 bits per channel, each row coded as its difference from the row above, which suits video.
std::string Png(const RgbImage& image);

/// The bytes of a JPEG file with chroma halved in both directions. quality: 1 to 100. Neither side of the image is
/// above 65,500 pixels, where the format's readers end.
std::string Jpeg(const RgbImage& image, int quality);

}  // namespace acutance
