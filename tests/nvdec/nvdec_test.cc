// Containers decoded by a fake NVDEC through the real FFmpeg: its frames come out whole, in order, and are given back.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "backend/emu/emu.h"
#include "exec/surface_splitter.h"
#include "io/video_source.h"
#include "tests/io/io_test_util.h"
#include "tests/nvdec/fake_nvidia.h"

namespace acutance {
namespace {

using testing::HasSubstr;

class Nvdec : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("ffmpeg -version >/dev/null 2>&1") != 0) GTEST_SKIP() << "the ffmpeg command is not installed";
    if (!DeviceCodecs().ok()) GTEST_SKIP() << DeviceCodecs().status().message();
    void* library = ::dlopen("libnvcuvid.so.1", RTLD_NOW);
    void* controls = library ? ::dlsym(library, "FakeNvidiaControls") : nullptr;
    ASSERT_NE(controls, nullptr) << "LD_LIBRARY_PATH does not lead to the fake: run this test by ctest";
    fake_ = reinterpret_cast<FakeNvidiaControlsFunction*>(controls)();
    *fake_ = {};
  }

  void TearDown() override {
    if (!fake_) return;
    EXPECT_EQ(fake_->mapped, 0);
    EXPECT_EQ(fake_->decoders, 0);
    EXPECT_EQ(fake_->without_context, 0);
  }

  std::string Encode(const test::Clip& clip, const std::string& pixel_format, const std::string& options) {
    test::WriteFile(dir_ / "in.yuv", clip.Yuv());
    const std::string command =
        fmt::format("ffmpeg -v error -nostdin -y -f rawvideo -pix_fmt {} -s {}x{} -r 25 -i {} {} {} 2>&1", pixel_format,
                    clip.format.width, clip.format.height, dir_ / "in.yuv", options, dir_ / "a.mkv");
    EXPECT_EQ(std::system(command.c_str()), 0);
    return dir_ / "a.mkv";
  }

  static OpenOptions OnDevice(bool required) {
    auto unpacker = std::make_shared<SurfaceSplitter>(kEmuBackend.open(0).value());
    const auto take = [unpacker](const DeviceFrame& frame) { return unpacker->Unpack(frame); };
    static int context;
    return {.device_decoding = DeviceDecoding{&context, required, take}};
  }

  static int CountDifferent(const Picture& picture, int index, int p) {
    const PictureFormat& format = picture.format;
    const DevicePlane& plane = picture.device_planes[p];
    const int bytes = format.BytesPerSample();
    int different = 0;
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        uint16_t sample = 0;
        std::memcpy(&sample, reinterpret_cast<const std::byte*>(plane.address) + y * plane.stride + x * bytes, bytes);
        different += sample != FakeSample(index, p, x, y, format.bit_depth);
      }
    return different;
  }

  test::TempDir dir_;
  FakeNvidia* fake_ = nullptr;
};

// Pictures are decoded in the order in which they are shown.
constexpr const char* kX264 = "-c:v libx264 -qp 0 -bf 0";
constexpr const char* kX265 = "-c:v libx265 -preset ultrafast -x265-params log-level=none:bframes=0:lossless=1";
constexpr const char* kAom = "-c:v libaom-av1 -cpu-used 8 -crf 0 -aom-params lossless=1 -lag-in-frames 0";
constexpr const char* kVp8 = "-c:v libvpx -deadline realtime -lag-in-frames 0";
constexpr const char* kVp9 = "-c:v libvpx-vp9 -deadline realtime -lag-in-frames 0";

TEST_F(Nvdec, FramesComeOutWholeAndInOrder) {
  struct Case {
    const char* pixel_format;
    PictureFormat format;
    const char* options;
  };
  constexpr Case kCases[] = {
      {"yuv420p", {82, 50, 8, PixelFormat::k420}, kX264},      {"yuv420p", {82, 66, 8, PixelFormat::k420}, kX265},
      {"yuv420p10le", {82, 66, 10, PixelFormat::k420}, kX265}, {"yuv444p", {82, 66, 8, PixelFormat::k444}, kX265},
      {"yuv444p10le", {82, 66, 10, PixelFormat::k444}, kX265}, {"yuv420p", {82, 66, 8, PixelFormat::k420}, kAom},
      {"yuv420p10le", {82, 66, 10, PixelFormat::k420}, kAom}};
  for (const Case& c : kCases) {
    SCOPED_TRACE(fmt::format("{} {}", c.options, c.pixel_format));
    constexpr int kFrames = 40;  // more than any decoder has surfaces
    auto source = test::MustOpen(Encode(test::MakeClip(c.format, kFrames), c.pixel_format, c.options), OnDevice(true));
    ASSERT_NE(source, nullptr);
    EXPECT_TRUE(source->is_on_device());
    EXPECT_EQ(source->format(), c.format);
    std::vector<Picture> pictures;
    for (auto next = source->Next(); next.ok() && *next; next = source->Next()) pictures.push_back(**next);
    ASSERT_EQ(pictures.size(), static_cast<size_t>(kFrames));
    for (int i = 0; i < kFrames; ++i)
      for (int p = 0; p < c.format.PlaneCount(); ++p)
        EXPECT_EQ(CountDifferent(pictures[i], i, p), 0) << "plane " << p << " of " << i;
    EXPECT_LE(fake_->most_mapped, 2);
  }
}

/// Short segments, a few at once.
OpenOptions InSegments(OpenOptions options, size_t most_bytes) {
  options.device_decoding->take_elsewhere = [] {
    auto unpacker = std::make_shared<SurfaceSplitter>(kEmuBackend.open(0).value());
    return [unpacker](const DeviceFrame& frame) { return unpacker->Unpack(frame); };
  };
  options.device_decoding->most_bytes = most_bytes;
  options.decoder_threads = 2;
  options.segments = {.most_bytes = most_bytes, .start_after = 1, .least_packets = 1, .least_threads = 2};
  return options;
}

TEST_F(Nvdec, TakesSegmentsAndLeavesDamagedOnesToTheCpu) {
  constexpr int kFrames = 200;
  const test::Clip clip = test::MakeClip({82, 66}, kFrames);
  const std::string file = Encode(clip, "yuv420p", fmt::format("{}:keyint=10:min-keyint=10", kX265));
  constexpr size_t kFrameBytes = 82 * 66 * 3 / 2;
  for (const bool required : {true, false})
    for (const bool fails : {false, true}) {
      SCOPED_TRACE(fmt::format("required {}, fails {}", required, fails));
      fake_->pictures_left = -1;
      auto source = test::MustOpen(file, InSegments(OnDevice(required), 40 * kFrameBytes));
      ASSERT_NE(source, nullptr);
      int on_device = 0;
      for (int i = 0; i < kFrames; ++i) {
        if (i == 60 && fails) fake_->pictures_left = 3;
        const Picture picture = test::MustNext(*source);
        if (picture.device_planes[0].address != 0) ++on_device;
        else test::ExpectFrame(picture, clip, static_cast<size_t>(i));
      }
      EXPECT_FALSE(source->Next().value());
      EXPECT_GT(on_device, 10);
      EXPECT_EQ(on_device < kFrames, fails);
      EXPECT_GT(source->decoding().segments, 15);
    }
}

TEST_F(Nvdec, LeavesSegmentsOfH264ToTheCpu) {
  const test::Clip clip = test::MakeClip({64, 32}, 60);
  const std::string file = Encode(clip, "yuv420p", "-c:v libx264 -qp 0 -bf 0 -g 10");
  for (const bool required : {true, false}) {
    auto source = test::MustOpen(file, InSegments(OnDevice(required), size_t{1} << 30));
    ASSERT_NE(source, nullptr);
    int on_device = 0;
    for (int i = 0; i < 60; ++i) {
      const Picture picture = test::MustNext(*source);
      if (picture.device_planes[0].address != 0) ++on_device;
      else test::ExpectFrame(picture, clip, static_cast<size_t>(i));
    }
    EXPECT_EQ(on_device < 60, !required);
    EXPECT_EQ(source->decoding().segments > 0, !required);
  }
}

TEST_F(Nvdec, LeavesOutUnusedChroma) {
  auto source = test::MustOpen(Encode(test::MakeClip({64, 32}, 3), "yuv420p", kX264), OnDevice(true));
  ASSERT_NE(source, nullptr);
  source->SkipChroma();
  const Picture picture = **source->Next();
  EXPECT_EQ(CountDifferent(picture, 0, 0), 0);
  EXPECT_EQ(picture.device_planes[1].address, 0u);
}

TEST_F(Nvdec, WhatItDoesNotSupportIsDecodedOnTheCpu) {
  fake_->supports = false;
  struct Case {
    const char* pixel_format;
    PixelFormat format;
    const char* options;
    const char* stream;
  };
  constexpr Case kCases[] = {{"yuv420p", PixelFormat::k420, kX264, "(h264, yuv420p): Hardware is lacking"},
                             {"yuv444p", PixelFormat::k444, kX264, "(h264, yuv444p): Hardware is lacking"},
                             {"yuv422p", PixelFormat::k422, kX265, "(hevc, yuv422p)"},
                             {"yuv420p", PixelFormat::k420, kAom, "(av1, yuv420p): Hardware is lacking"},
                             {"yuv444p", PixelFormat::k444, kAom, "(av1, yuv444p)"}};
  for (const Case& c : kCases) {
    SCOPED_TRACE(fmt::format("{} {}", c.options, c.pixel_format));
    const test::Clip clip = test::MakeClip({64, 32, 8, c.format}, 5);
    const std::string file = Encode(clip, c.pixel_format, c.options);
    test::ExpectClip(*test::MustOpen(file, OnDevice(false)), clip);
    EXPECT_THAT(test::ErrorOf(file, nullptr, OnDevice(true)),
                HasSubstr(fmt::format("a.mkv: NVDEC does not take this stream {}", c.stream)));
  }
}

TEST_F(Nvdec, ReportsErrorsOfTheDriver) {
  fake_->creates = false;
  const std::string file = Encode(test::MakeClip({64, 32}, 2), "yuv420p", kX264);
  EXPECT_THAT(test::ErrorOf(file, nullptr, OnDevice(true)),
              testing::MatchesRegex(".*\\(h264, yuv420p\\): .*cuvidCreateDecoder.* failed -> FAKE: a fake's error"));
}

TEST_F(Nvdec, H264WithoutChromaIsDecodedOnTheCpu) {
  const test::Clip clip = test::MakeClip({64, 32, 8, PixelFormat::k400}, 5);
  for (const char* container : {"", "-f mpegts"}) {
    SCOPED_TRACE(container);
    const std::string file = Encode(clip, "gray", fmt::format("{} {}", kX264, container));
    auto source = test::MustOpen(file, OnDevice(false));
    ASSERT_NE(source, nullptr);
    EXPECT_FALSE(source->is_on_device());
    EXPECT_EQ(test::CountDifferent(**source->Next(), clip, 0, 0), 0);
    EXPECT_THAT(test::ErrorOf(file, nullptr, OnDevice(true)), HasSubstr("a.mkv: NVDEC takes H.264 only where"));
  }
}

TEST_F(Nvdec, AFailureOnTheWayIsAnError) {
  const std::string file = Encode(test::MakeClip({64, 32}, 12), "yuv420p", kX264);
  fake_->pictures_left = 7;
  int frames = 0;
  EXPECT_THAT(test::ErrorOf(file, &frames, OnDevice(true)), HasSubstr("could not decode"));
  EXPECT_LE(frames, 7);
}

}  // namespace
}  // namespace acutance
