// Pictures as TIFF files, which image viewers and numpy open.
#pragma once

#include <string>

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

/// Bytes before the first sample.
inline constexpr int kTiffHeaderBytes = 256;

/// Writes a plane as gray samples, uncompressed: 8 or 16 bits (little-endian, value in the low bits), or floats. Rows
/// follow one another from byte kTiffHeaderBytes on. Leaves no file behind where it fails.
Status WriteTiff(const std::string& path, const Plane& plane, const PictureFormat& format);

}  // namespace acutance
