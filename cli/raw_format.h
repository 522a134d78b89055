#pragma once

#include <string>

#include "base/status.h"
#include "image/picture.h"

namespace acutance::cli {

/// "1920x1080", "420" (400, 420, 422 or 444), 8.
Result<PictureFormat> ParseRawFormat(const std::string& size, const std::string& pixel_format, int bit_depth);

}  // namespace acutance::cli
