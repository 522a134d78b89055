// Tests of mapped y4m and raw yuv files: addresses, memory use, files that change.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/io/io_test_util.h"

namespace acutance {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;

TEST(MappedInput, FilesAreUsedWhereTheyLie) {
  const TempDir dir;
  const Clip clip = MakeClip({64, 48, 8, PixelFormat::k420}, 3);
  WriteFile(dir / "a.yuv", clip.Yuv());
  WriteFile(dir / "a.y4m", clip.Y4m("C420"));
  for (const auto& [name, raw] : {std::pair("a.yuv", std::optional(clip.format)), {"a.y4m", std::nullopt}}) {
    auto source = MustOpen(dir / name, {raw});
    EXPECT_TRUE(source->is_instant());
    Picture before;
    for (int i = 0; i < 3; ++i) {
      Picture picture = **source->Next();
      if (i > 0) {  // all planes are as far from the frame before as frames are in the file
        EXPECT_EQ(picture.planes[2].data - before.planes[2].data, picture.planes[0].data - before.planes[0].data);
      }
      ExpectFrame(picture, clip, i);
      before = std::move(picture);
    }
    EXPECT_TRUE(source->CheckIntact().ok());
  }
}

TEST(MappedInput, PicturesOutliveTheirSource) {
  const TempDir dir;
  const Clip clip = MakeClip({64, 48, 8, PixelFormat::k420}, 2);
  WriteFile(dir / "a.yuv", clip.Yuv());
  const Picture picture = **MustOpen(dir / "a.yuv", {clip.format})->Next();
  ExpectFrame(picture, clip, 0);
}

/// Pages of mapped files that this process has in use.
int64_t MappedPagesInUse() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0, shared = 0;
  file >> size >> resident >> shared;
  return shared;
}

TEST(MappedInput, DroppedPicturesTakeNoMemoryUnlessTheMappingIsRetained) {
  constexpr int kFrames = 96, kPagesPerFrame = 64;
  const TempDir dir;
  const Clip clip = MakeClip({512, 512, 8, PixelFormat::k400}, kFrames);
  WriteFile(dir / "a.yuv", clip.Yuv());
  for (const bool keep : {false, true}) {
    auto source = MustOpen(dir / "a.yuv", {.raw = clip.format, .keep_mapped = keep});
    const int64_t before = MappedPagesInUse();
    const Picture first = **source->Next();
    for (int i = 1; i < kFrames; ++i) ExpectFrame(**source->Next(), clip, i);
    const int64_t used = MappedPagesInUse() - before;
    if (keep) EXPECT_GE(used, (kFrames - 1) * kPagesPerFrame);
    else EXPECT_LT(used, kFrames / 2 * kPagesPerFrame);  // each release covers some MB
    ExpectFrame(first, clip, 0);
  }
}

TEST(MappedInput, AFileThatShrinksIsAnErrorAndNeverASignal) {
  const TempDir dir;
  const Clip clip = MakeClip({128, 128, 8, PixelFormat::k400}, 4);
  WriteFile(dir / "a.yuv", clip.Yuv());
  auto source = MustOpen(dir / "a.yuv", {clip.format});
  const Picture first = **source->Next(), second = **source->Next();
  std::filesystem::resize_file(dir / "a.yuv", 100);
  EXPECT_EQ(first.planes[0].data[5000], std::byte{0});
  EXPECT_EQ(second.planes[0].data[128 * 128 - 1], std::byte{0});
  EXPECT_THAT(source->CheckIntact().message(), AllOf(HasSubstr("became shorter"), HasSubstr("100 are left")));
  EXPECT_THAT(source->Next().status().message(), HasSubstr("truncated"));
}

TEST(MappedInput, AY4mFileThatShrinksEnds) {
  const TempDir dir;
  const Clip clip = MakeClip({640, 360, 8, PixelFormat::k420}, 3);
  for (bool luma_only : {false, true}) {
    WriteFile(dir / "a.y4m", clip.Y4m("C420"));
    auto source = MustOpen(dir / "a.y4m");
    if (luma_only) source->SkipChroma();
    EXPECT_TRUE(source->Next()->has_value());
    std::filesystem::resize_file(dir / "a.y4m", clip.FrameBytes(0).size() + 1000);
    auto next = source->Next();
    EXPECT_TRUE(!next.ok() || !*next);
    EXPECT_FALSE(source->Next()->has_value());
  }
}

TEST(MappedInput, AFileThatShrinksBeforeItIsReadIsNotCalledDamaged) {
  const TempDir dir;
  const Clip clip = MakeClip({128, 128, 8, PixelFormat::k400}, 4);
  WriteFile(dir / "a.y4m", clip.Y4m("Cmono"));
  auto source = MustOpen(dir / "a.y4m");
  std::filesystem::resize_file(dir / "a.y4m", 0);
  EXPECT_THAT(source->Next().status().message(), AllOf(HasSubstr("became shorter"), HasSubstr("0 are left")));
}

TEST(MappedInput, LostBytesAreNotForgottenWhenTheFileGrowsAgain) {
  const TempDir dir;
  const Clip clip = MakeClip({128, 128, 8, PixelFormat::k400}, 2);
  WriteFile(dir / "a.yuv", clip.Yuv());
  auto source = MustOpen(dir / "a.yuv", {clip.format});
  const Picture picture = **source->Next();
  std::filesystem::resize_file(dir / "a.yuv", 0);
  EXPECT_EQ(picture.planes[0].data[0], std::byte{0});
  WriteFile(dir / "a.yuv", clip.Yuv());
  EXPECT_THAT(source->CheckIntact().message(), HasSubstr("was written to while it was read"));
}

TEST(MappedInput, WhatAFileGrowsByIsRead) {
  const TempDir dir;
  const Clip clip = MakeClip({64, 48, 8, PixelFormat::k420}, 3);
  const std::string bytes = clip.Yuv();
  WriteFile(dir / "a.yuv", std::string_view(bytes).substr(0, bytes.size() / 3));
  auto source = MustOpen(dir / "a.yuv", {clip.format});
  ExpectFrame(**source->Next(), clip, 0);
  WriteFile(dir / "a.yuv", bytes);
  ExpectFrame(**source->Next(), clip, 1);
  ExpectFrame(**source->Next(), clip, 2);
  EXPECT_FALSE(source->Next()->has_value());
  EXPECT_TRUE(source->CheckIntact().ok());
}

/// The most address space that this process ever had, in bytes.
int64_t PeakOfAddresses() {
  constexpr std::string_view kName = "VmPeak:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kName)) return std::stoll(line.substr(kName.size())) << 10;
  return 0;
}

constexpr int64_t kLittle = int64_t{256} << 20;  // the frames of these two tests would have 6.4 GB

TEST(OpenVideo, HugeFramesOfSmallFilesTakeNoMemory) {
  const TempDir dir;
  const int64_t before = PeakOfAddresses();
  WriteFile(dir / "a.y4m", "YUV4MPEG2 W32768 H32768 F25:1 Ip C444p16\nFRAME\nabc");
  EXPECT_THAT(ErrorOf(dir / "a.y4m"), HasSubstr("truncated: frame 0"));
  WriteFile(dir / "a.yuv", "abc");
  EXPECT_THAT(ErrorOf(dir / "a.yuv", nullptr, {PictureFormat{32768, 32768, 16, PixelFormat::k444}}),
              HasSubstr("truncated: frame 0"));
  EXPECT_LT(PeakOfAddresses() - before, kLittle);
}

TEST(OpenVideo, HeadersOfPipesTakeNoMemory) {
  const TempDir dir;
  const std::string pipe = MakeFifo(dir / "pipe");
  const int64_t before = PeakOfAddresses();
  const FifoWriter writer(pipe, "YUV4MPEG2 W32768 H32768 F25:1 Ip C444p16\nFRAME\nabc");
  EXPECT_THAT(ErrorOf(pipe), HasSubstr("truncated: frame 0"));
  EXPECT_LT(PeakOfAddresses() - before, kLittle);
}

TEST(MappedInput, FaultsElsewhereGoToTheHandlerBefore) {
  const TempDir dir;
  WriteFile(dir / "a.yuv", std::string(4096, 'a'));
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process, in which nothing was mapped before
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, [](int) { ::_exit(7); });
        static_cast<void>(MustOpen(dir / "a.yuv", {PictureFormat{16, 16, 8, PixelFormat::k400}}));
        ::raise(SIGBUS);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace acutance
