// Images as JPEG files.
#pragma once

#include <string>

#include "report/picture_image.h"

namespace acutance {

/// The bytes of a JPEG file with chroma halved in both directions. quality: 1 to 100. Neither side of the image is
/// above 65,500 pixels, where the format's readers end.
std::string Jpeg(const RgbImage& image, int quality);

}  // namespace acutance
