// A map of losses as an image.
#pragma once

#include <span>

#include "report/picture_image.h"

namespace acutance {

/// An image of a picture in dark gray, with the color of each block of `size` luma samples over it: of the block that
/// lost most, white. columns: blocks in a row.
RgbImage MapOverImage(RgbImage image, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns);

}  // namespace acutance
