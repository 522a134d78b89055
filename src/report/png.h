// Images as PNG files.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "report/picture_image.h"

namespace acutance {

/// A file in memory that was made as large as it could have become.
struct PngFile {
  std::unique_ptr<char[]> memory;
  size_t size;

  std::string_view bytes() const { return {memory.get(), size}; }
};

/// Each row less the one above it, coded by how often its bytes are and by runs: some times faster than a search for
/// what repeats, which video rarely does, and about as small.
PngFile Png(const RgbRows& image);
PngFile Png(const RgbImage& image);

}  // namespace acutance
