#include "report/map_image.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace acutance {
namespace {

std::vector<std::array<uint8_t, 3>> BlockColors(std::span<const double> losses, double most) {
  std::vector<std::array<uint8_t, 3>> colors(losses.size());
  for (size_t block = 0; block < losses.size(); ++block) {
    HeatColor(losses[block] / most, colors[block].data());
    for (uint8_t& part : colors[block]) part = static_cast<uint8_t>(part * 0.7);
  }
  return colors;
}

}  // namespace

RgbImage DarkGray(RgbImage image) {
  for (size_t at = 0; at + 3 <= image.rgb.size(); at += 3) {
    uint8_t* rgb = &image.rgb[at];
    const auto gray = static_cast<uint8_t>((rgb[0] + 2 * rgb[1] + rgb[2]) / 8);
    std::fill_n(rgb, 3, gray);
  }
  return image;
}

RgbImage MapOverImage(const RgbImage& gray, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns) {
  const double most = std::max(1e-300, *std::ranges::max_element(losses));
  return MapOverImage(gray, format, losses, size, columns, most);
}

RgbImage MapOverImage(const RgbImage& gray, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns, double most) {
  const std::vector<std::array<uint8_t, 3>> colors = BlockColors(losses, most);
  const auto block_of = [size](int at, int pixels, int samples) {
    return static_cast<size_t>(int64_t{1} * at * samples / pixels / size);
  };
  const size_t row_bytes = size_t{3} * gray.width;
  std::vector<uint8_t> heat(row_bytes);  // of a row of blocks
  RgbImage image{gray.width, gray.height, std::vector<uint8_t>(gray.rgb.size())};
  size_t drawn = ~size_t{0};
  for (int y = 0; y < image.height; ++y) {
    const size_t blocks = block_of(y, image.height, format.height) * columns;
    if (blocks != drawn)
      for (int x = 0; x < image.width; ++x)
        std::ranges::copy(colors[blocks + block_of(x, image.width, format.width)], &heat[size_t{3} * x]);
    drawn = blocks;
    std::transform(heat.begin(), heat.end(), &gray.rgb[row_bytes * y], &image.rgb[row_bytes * y],
                   [](uint8_t color, uint8_t below) { return static_cast<uint8_t>(std::min(color + below, 255)); });
  }
  return image;
}

}  // namespace acutance
