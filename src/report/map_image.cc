#include "report/map_image.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace acutance {

RgbImage MapOverImage(RgbImage image, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns) {
  const double most = std::max(1e-300, *std::ranges::max_element(losses));
  return MapOverImage(std::move(image), format, losses, size, columns, most);
}

RgbImage MapOverImage(RgbImage image, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns, double most) {
  std::vector<std::array<uint8_t, 3>> colors(losses.size());  // of blocks
  for (size_t block = 0; block < losses.size(); ++block) {
    HeatColor(losses[block] / most, colors[block].data());
    for (uint8_t& part : colors[block]) part = static_cast<uint8_t>(part * 0.7);
  }
  const auto block_of = [size](int at, int pixels, int samples) {
    return static_cast<size_t>(int64_t{1} * at * samples / pixels / size);
  };
  std::vector<size_t> block_columns(static_cast<size_t>(image.width));
  for (int x = 0; x < image.width; ++x) block_columns[x] = block_of(x, image.width, format.width);
  uint8_t* rgb = image.rgb.data();
  for (int y = 0; y < image.height; ++y) {
    const std::array<uint8_t, 3>* row = &colors[block_of(y, image.height, format.height) * columns];
    for (const size_t column : block_columns) {
      const int gray = (rgb[0] + 2 * rgb[1] + rgb[2]) / 8;
      for (const uint8_t heat : row[column]) *rgb++ = static_cast<uint8_t>(std::min(gray + heat, 255));
    }
  }
  return image;
}

}  // namespace acutance
