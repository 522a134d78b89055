#include "report/map_image.h"

#include <algorithm>

namespace acutance {

RgbImage MapOverPicture(const Picture& picture, bool full_range, std::span<const double> losses, int size, int columns,
                        int max_width) {
  RgbImage image = ToImage(picture, full_range, max_width);
  const double most = std::max(1e-300, *std::ranges::max_element(losses));
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      uint8_t* rgb = &image.rgb[3 * (size_t{1} * y * image.width + x)];
      const int gray = (rgb[0] + 2 * rgb[1] + rgb[2]) / 8;
      const int luma_x = static_cast<int>(int64_t{1} * x * picture.format.width / image.width);
      const int luma_y = static_cast<int>(int64_t{1} * y * picture.format.height / image.height);
      const double loss = losses[size_t{1} * (luma_y / size) * columns + luma_x / size] / most;
      uint8_t heat[3];
      HeatColor(loss, heat);
      for (int c = 0; c < 3; ++c)
        rgb[c] = static_cast<uint8_t>(std::clamp(gray + static_cast<int>(heat[c] * 0.7), 0, 255));
    }
  return image;
}

}  // namespace acutance
