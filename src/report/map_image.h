// A map of losses as an image.
#pragma once

#include <span>

#include "report/picture_image.h"

namespace acutance {

/// The picture in dark gray, with the color of each block of `size` luma samples over it: of the block that lost most,
/// white. columns: blocks in a row. Of at most `max_width` columns, like ToImage.
RgbImage MapOverPicture(const Picture& picture, bool full_range, std::span<const double> losses, int size, int columns,
                        int max_width);

}  // namespace acutance
