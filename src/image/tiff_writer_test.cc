#include "image/tiff_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/temp_dir.h"

namespace acutance {
namespace {

using testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class T>
T At(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The value of a tag of the directory at byte 8.
uint32_t Tag(const std::string& bytes, uint16_t tag) {
  for (int i = 0; i < At<uint16_t>(bytes, 8); ++i)
    if (At<uint16_t>(bytes, 10 + 12 * i) == tag) return At<uint32_t>(bytes, 10 + 12 * i + 8);
  ADD_FAILURE() << "no tag " << tag;
  return 0;
}

template <class Sample>
void ExpectWritten(int bit_depth, uint32_t sample_format) {
  const PictureFormat format = {.width = 5, .height = 3, .bit_depth = bit_depth, .pixel_format = PixelFormat::k400};
  const MutablePicture picture = AllocatePicture(format).value();
  std::string samples;
  for (int y = 0; y < format.height; ++y)
    for (int x = 0; x < format.width; ++x) {
      const Sample sample = static_cast<Sample>(x * 50.25 + y);
      picture.Row<Sample>(0, y)[x] = sample;
      samples.append(reinterpret_cast<const char*>(&sample), sizeof sample);
    }
  const test::TempDir folder;
  ASSERT_TRUE(WriteTiff(folder / "a.tif", picture.Share().planes[0], format).ok());
  const std::string bytes = ReadFile(folder / "a.tif");
  EXPECT_EQ(bytes.substr(0, 4), std::string("II*\0", 4));
  EXPECT_EQ(bytes.substr(kTiffHeaderBytes), samples);
  EXPECT_EQ(Tag(bytes, 256), 5u);
  EXPECT_EQ(Tag(bytes, 257), 3u);
  EXPECT_EQ(Tag(bytes, 258), 8 * sizeof(Sample));
  EXPECT_EQ(Tag(bytes, 273), static_cast<uint32_t>(kTiffHeaderBytes));
  EXPECT_EQ(Tag(bytes, 279), samples.size());
  EXPECT_EQ(Tag(bytes, 339), sample_format);
}

TEST(TiffWriter, WritesBytesWordsAndFloats) {
  ExpectWritten<uint8_t>(8, 1);
  ExpectWritten<uint16_t>(10, 1);
  ExpectWritten<uint16_t>(16, 1);
  ExpectWritten<float>(kFloatDepth, 3);
}

TEST(TiffWriter, AFullDiskIsAnErrorAndLeavesNoFile) {
  const PictureFormat format = {.width = 600, .height = 400, .bit_depth = 16, .pixel_format = PixelFormat::k400};
  const MutablePicture picture = AllocatePicture(format).value();
  const test::TempDir folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  const Status status = WriteTiff(folder / "a.tif", picture.Share().planes[0], format);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_THAT(status.message(), HasSubstr("a.tif: File too large"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.tif"));
}

TEST(TiffWriter, AFolderThatIsNotThereIsAnError) {
  const PictureFormat format = {.width = 6, .height = 4, .bit_depth = 8, .pixel_format = PixelFormat::k400};
  const MutablePicture picture = AllocatePicture(format).value();
  const test::TempDir folder;
  const Status status = WriteTiff(folder / "none/a.tif", picture.Share().planes[0], format);
  EXPECT_THAT(status.message(), HasSubstr("none/a.tif: No such file or directory"));
}

}  // namespace
}  // namespace acutance
