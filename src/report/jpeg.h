// JPEG files (ITU-T T.81, baseline) of images.
#pragma once

#include <string>

#include "report/picture_image.h"

namespace acutance {

/// quality: 1 to 100, as libjpeg counts. Colors have half the size, as in most videos.
std::string Jpeg(const RgbImage& image, int quality);

}  // namespace acutance
