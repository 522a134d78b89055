// Every byte of a JPEG is that of stb_image_write, whose sums are done in the same order.
#include "report/jpeg.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

namespace acutance {
namespace {

void Append(void* to, void* data, int size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<size_t>(size));
}

std::string PlainJpeg(const RgbImage& image, int quality) {
  std::string bytes;
  stbi_write_jpg_to_func(Append, &bytes, image.width, image.height, 3, image.rgb.data(), quality);
  return bytes;
}

enum class Content { kNoise, kGradient, kDots };

RgbImage Draw(int width, int height, Content content) {
  RgbImage image{width, height, {}};
  std::minstd_rand dice(1);
  for (int i = 0; i < 3 * width * height; ++i) {
    const uint32_t number = static_cast<uint32_t>(dice()) >> 8;
    image.rgb.push_back(static_cast<uint8_t>(content == Content::kNoise      ? number % 256
                                             : content == Content::kGradient ? (i / 3 % width + i / 9) % 256
                                             : number % 7 == 0               ? 255
                                                                             : 0));
  }
  return image;
}

TEST(Jpeg, IsThatOfThePlainWriter) {
  for (const int width : {1, 7, 8, 15, 16, 17, 33, 320})
    for (const int height : {1, 8, 9, 16, 31, 180})
      for (const Content content : {Content::kNoise, Content::kGradient, Content::kDots})
        for (const int quality : {1, 20, 45, 50, 65, 80, 90}) {
          const RgbImage image = Draw(width, height, content);
          ASSERT_EQ(Jpeg(image, quality), PlainJpeg(image, quality)) << width << "x" << height << " at " << quality;
        }
}

}  // namespace
}  // namespace acutance
