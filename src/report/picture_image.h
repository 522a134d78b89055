// Pictures of a video, and maps over them, as images that a browser shows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "image/picture.h"

namespace acutance {

/// Red, green and blue of 8 bits, row by row.
struct RgbImage {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;
};

/// The size of such a picture's image (ToImage).
std::pair<int, int> ImageSize(const PictureFormat& format, int max_width);

/// The picture, made smaller by averages where it is wider than `max_width`. BT.709 for pictures of 720 rows and more,
/// BT.601 below; chroma is taken from the nearest sample. For looking: no score depends on it.
RgbImage ToImage(const Picture& picture, bool full_range, int max_width);

/// How far luma differs, as colors: black for equal, through red and yellow to white for 32 of 256 steps and more. Of
/// pictures of one format; made smaller like ToImage.
RgbImage DifferenceImage(const Picture& reference, const Picture& distorted, int max_width);

/// A part of the picture in its own size, of at most width x height, as near to (x, y) as its borders let it be.
RgbImage CropImage(const Picture& picture, bool full_range, int x, int y, int width, int height);

/// The middle of the square of `size` samples in which luma differs most.
struct CropWindow {
  int x = 0;
  int y = 0;
};
CropWindow WorstSpot(const Picture& reference, const Picture& distorted, int size);

/// A number from 0 to 1 as a color: black, blue, magenta, orange, yellow, white.
void HeatColor(double value, uint8_t* rgb);

/// RFC 4648, with padding.
std::string Base64(std::string_view bytes);

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
