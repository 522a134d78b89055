#include "report/png.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string_view>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb/stb_image.h>

namespace acutance {
namespace {

uint32_t BigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

uint32_t PlainCrc(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

void ExpectCheckSums(std::string_view file) {
  int chunks = 0;
  for (file.remove_prefix(8); !file.empty(); ++chunks) {
    const size_t size = BigEndian(file);
    ASSERT_EQ(BigEndian(file.substr(8 + size)), PlainCrc(file.substr(4, 4 + size)));
    file.remove_prefix(12 + size);
  }
  EXPECT_EQ(chunks, 3);
}

enum class Content { kNoise, kGradient, kDots, kFlat };

RgbImage Draw(int width, int height, Content content) {
  RgbImage image{width, height, {}};
  std::minstd_rand dice(1);
  for (int i = 0; i < 3 * width * height; ++i) {
    const uint32_t number = static_cast<uint32_t>(dice()) >> 8;
    image.rgb.push_back(static_cast<uint8_t>(content == Content::kNoise      ? number % 256
                                             : content == Content::kGradient ? (i / 3 % width + i / 9) % 256
                                             : content == Content::kFlat     ? 77
                                             : number % 7 == 0               ? 255
                                                                             : 0));
  }
  return image;
}

TEST(Png, DecodesToTheImage) {
  for (const int width : {1, 2, 7, 64, 333})
    for (const int height : {1, 2, 17, 200})
      for (const Content content : {Content::kNoise, Content::kGradient, Content::kDots, Content::kFlat}) {
        SCOPED_TRACE(testing::Message() << width << "x" << height << " " << static_cast<int>(content));
        const RgbImage image = Draw(width, height, content);
        const PngFile file = Png(image);
        ExpectCheckSums(file.bytes());
        int w = 0, h = 0, parts = 0;
        stbi_uc* const pixels = stbi_load_from_memory(reinterpret_cast<const stbi_uc*>(file.memory.get()),
                                                      static_cast<int>(file.size), &w, &h, &parts, 3);
        ASSERT_NE(pixels, nullptr) << stbi_failure_reason();
        ASSERT_EQ(w, width);
        ASSERT_EQ(h, height);
        EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.end(), pixels));
        stbi_image_free(pixels);
      }
}

}  // namespace
}  // namespace acutance
