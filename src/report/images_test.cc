#include <gtest/gtest.h>
#include <libdeflate.h>
#include <turbojpeg.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "report/image_files.h"

namespace acutance {
namespace {

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

uint32_t BigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (const char byte : bytes.substr(0, 4)) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

/// The data of chunk `number`, which has the type.
std::string_view ChunkOf(std::string_view file, int number, std::string_view type) {
  file.remove_prefix(8);
  for (; number > 0; --number) file.remove_prefix(12 + BigEndian(file));
  const size_t size = BigEndian(file);
  EXPECT_EQ(file.substr(4, 4), type);
  EXPECT_EQ(BigEndian(file.substr(8 + size)), libdeflate_crc32(0, &file[4], 4 + size));
  return file.substr(8, size);
}

RgbImage DecodePng(std::string_view file) {
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const std::string_view header = ChunkOf(file, 0, "IHDR"), data = ChunkOf(file, 1, "IDAT");
  EXPECT_EQ(ChunkOf(file, 2, "IEND"), "");
  EXPECT_EQ(header.substr(8), std::string_view("\x08\x02\0\0\0", 5));
  RgbImage image{static_cast<int>(BigEndian(header)), static_cast<int>(BigEndian(header.substr(4))), {}};
  const size_t row = size_t{3} * image.width;
  std::vector<uint8_t> filtered((row + 1) * image.height);
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decoder(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  EXPECT_EQ(
      libdeflate_zlib_decompress(decoder.get(), data.data(), data.size(), filtered.data(), filtered.size(), nullptr),
      LIBDEFLATE_SUCCESS);
  std::vector<uint8_t> above(row);
  for (const uint8_t* from = filtered.data(); image.rgb.size() < row * image.height; from += row + 1) {
    EXPECT_TRUE(*from == 0 || *from == 2);
    for (size_t x = 0; x < row; ++x) above[x] = static_cast<uint8_t>(from[x + 1] + (*from == 2 ? above[x] : 0));
    image.rgb.insert(image.rgb.end(), above.begin(), above.end());
  }
  return image;
}

TEST(Png, DecodesToTheImage) {
  for (const int width : {1, 2, 7, 64, 333})
    for (const int height : {1, 2, 17, 200})
      for (const Content content : {Content::kNoise, Content::kGradient, Content::kDots, Content::kFlat}) {
        SCOPED_TRACE(testing::Message() << width << "x" << height << " " << static_cast<int>(content));
        const RgbImage image = Draw(width, height, content);
        const RgbImage decoded = DecodePng(Png(image));
        ASSERT_EQ(decoded.width, width);
        ASSERT_EQ(decoded.height, height);
        EXPECT_EQ(decoded.rgb, image.rgb);
      }
}

RgbImage DecodeJpeg(const std::string& file) {
  const std::unique_ptr<void, decltype(&tjDestroy)> decoder(tjInitDecompress(), tjDestroy);
  const auto* bytes = reinterpret_cast<const unsigned char*>(file.data());
  RgbImage image;
  int subsampling = 0, space = 0;
  EXPECT_EQ(tjDecompressHeader3(decoder.get(), bytes, file.size(), &image.width, &image.height, &subsampling, &space),
            0);
  EXPECT_EQ(subsampling, TJSAMP_420);
  EXPECT_EQ(space, TJCS_YCbCr);
  image.rgb.resize(size_t{3} * image.width * image.height);
  EXPECT_EQ(
      tjDecompress2(decoder.get(), bytes, file.size(), image.rgb.data(), image.width, 0, image.height, TJPF_RGB, 0), 0);
  return image;
}

double RootMeanSquare(const RgbImage& a, const RgbImage& b) {
  double sum = 0;
  for (size_t i = 0; i < a.rgb.size(); ++i) sum += (a.rgb[i] - b.rgb[i]) * (a.rgb[i] - b.rgb[i]);
  return std::sqrt(sum / static_cast<double>(a.rgb.size()));
}

TEST(Jpeg, DecodesToNearlyTheImage) {
  for (const int width : {1, 7, 16, 33, 320})
    for (const int height : {1, 9, 16, 180})
      for (const int quality : {45, 65, 80, 90}) {
        SCOPED_TRACE(testing::Message() << width << "x" << height << " at " << quality);
        RgbImage image{width, height, {}};
        for (int i = 0; i < width * height; ++i)
          for (const int part : {i % width / 2, i / width, 128}) image.rgb.push_back(static_cast<uint8_t>(part));
        const RgbImage decoded = DecodeJpeg(Jpeg(image, quality));
        ASSERT_EQ(decoded.width, width);
        ASSERT_EQ(decoded.height, height);
        EXPECT_LT(RootMeanSquare(image, decoded), 4);
      }
}

TEST(Jpeg, IsSmallerAtALowerQuality) {
  const RgbImage image = Draw(320, 180, Content::kNoise);
  EXPECT_LT(Jpeg(image, 45).size(), Jpeg(image, 65).size());
  EXPECT_LT(Jpeg(image, 65).size(), Jpeg(image, 90).size());
}

TEST(Jpeg, ThrowsForAnImageThatTheFormatCannotHold) {
  const RgbImage image{70000, 1, std::vector<uint8_t>(3 * 70000)};
  EXPECT_THROW(Jpeg(image, 80), std::runtime_error);
}

}  // namespace
}  // namespace acutance
