// A map of losses as an image.
#pragma once

#include <span>

#include "report/picture_image.h"

namespace acutance {

/// A picture's image in dark gray, over which maps are drawn.
RgbImage DarkGray(RgbImage image);

/// A map over DarkGray's image: the color of each block of `size` luma samples is added; white for losses of `most`.
/// columns: blocks in a row.
RgbImage MapOverImage(const RgbImage& gray, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns, double most);

/// The same; white is the block that lost most.
RgbImage MapOverImage(const RgbImage& gray, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns);

}  // namespace acutance
