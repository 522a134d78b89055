// A map of losses as an image.
#pragma once

#include <span>

#include "report/picture_image.h"

namespace acutance {

/// An image of a picture in dark gray, with the color of each block of `size` luma samples over it: white for losses of
/// `most`. columns: blocks in a row.
RgbImage MapOverImage(RgbImage image, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns, double most);

/// The same; white is the block that lost most.
RgbImage MapOverImage(RgbImage image, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns);

}  // namespace acutance
