#pragma once

#include <string>

#include "base/status.h"
#include "image/picture.h"

namespace acutance::cli {

/// The values of --size, --pixel-format and --bit-depth.
struct RawTexts {
  std::string size;  // "1920x1080"
  std::string pixel_format = "420";
  int bit_depth = 8;
};

Result<PictureFormat> ParseRawFormat(const RawTexts& texts);

}  // namespace acutance::cli
