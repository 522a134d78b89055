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
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      uint8_t* rgb = &image.rgb[3 * (size_t{1} * y * image.width + x)];
      const int gray = (rgb[0] + 2 * rgb[1] + rgb[2]) / 8;
      const int luma_x = static_cast<int>(int64_t{1} * x * format.width / image.width);
      const int luma_y = static_cast<int>(int64_t{1} * y * format.height / image.height);
      const std::array<uint8_t, 3>& heat = colors[size_t{1} * (luma_y / size) * columns + luma_x / size];
      for (int c = 0; c < 3; ++c) rgb[c] = static_cast<uint8_t>(std::min(gray + heat[c], 255));
    }
  return image;
}

}  // namespace acutance
