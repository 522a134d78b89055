#pragma once

#include <string>

#include "base/status.h"
#include "image/picture.h"

namespace acutance::cli {

/// The values of --size, --pixel-format and --bit-depth.
struct RawTexts {
  std::string size;                  // "1920x1080"
  std::string pixel_format = "420";  // or nv12, p010
  int bit_depth = 8;
};

/// The format of the pictures: nv12 is 4:2:0 of 8 bits, p010 of 10.
Result<PictureFormat> ParseRawFormat(const RawTexts& texts);

/// Whether Cb and Cr alternate in one plane.
bool IsSemiPlanar(const RawTexts& texts);

}  // namespace acutance::cli
