// Tests of y4m files whose samples of two bytes lie at odd addresses.
#include "video/filters.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <utility>

#include "convert/picture_conversion.h"
#include "image/lazy_picture.h"
#include "tests/io/io_test_util.h"
#include "video/prefetch.h"

namespace acutance {
namespace {

using namespace test;

/// The clip as a file whose first frame begins at an odd or an even offset.
std::string FileOf(const Clip& clip, bool is_odd, const std::string& marker = "FRAME\n",
                   const std::string& second_marker = "FRAME\n") {
  std::string bytes =
      fmt::format("YUV4MPEG2 W{} H{} F25:1 Ip A1:1 {}", clip.format.width, clip.format.height, TagOf(clip.format));
  bytes += ((bytes.size() + 1 + marker.size()) % 2 == 1) == is_odd ? "\n" : " Xa\n";
  EXPECT_EQ((bytes.size() + marker.size()) % 2 == 1, is_odd);
  for (size_t i = 0; i < clip.frames.size(); ++i) bytes += (i % 2 == 0 ? marker : second_marker) + clip.FrameBytes(i);
  return bytes;
}

bool LiesOdd(const Picture& picture) { return reinterpret_cast<uintptr_t>(picture.planes[0].data) % 2 == 1; }

void ExpectSameSamples(const Picture& found, const Picture& expected) {
  ASSERT_EQ(found.format, expected.format);
  for (int p = 0; p < expected.format.PlaneCount(); ++p) {
    const Plane a = found.planes[p].Whole(), b = expected.planes[p].Whole();
    ASSERT_EQ(a.width, b.width);
    ASSERT_EQ(a.height, b.height);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data) % expected.format.BytesPerSample(), 0u);
    for (int y = 0; y < b.height; ++y)
      EXPECT_EQ(std::memcmp(a.Row<std::byte>(y), b.Row<std::byte>(y),
                            static_cast<size_t>(b.width) * expected.format.BytesPerSample()),
                0);
  }
}

TEST(AlignedVideo, HasTheFramesOfEveryLayout) {
  const TempDir dir;
  for (const PictureFormat& format : AllFormats())
    for (const bool is_odd : {false, true}) {
      if (format.bit_depth == 8) continue;
      const Clip clip = MakeClip(format, 4);
      SCOPED_TRACE(fmt::format("{} {}x{} {}", TagOf(format), format.width, format.height, is_odd));
      WriteFile(dir / "a.y4m", FileOf(clip, is_odd));
      ExpectFile(dir / "a.y4m", clip);
      const auto source = MustOpen(dir / "a.y4m");
      EXPECT_EQ(source->conversion() != nullptr, is_odd);
      EXPECT_TRUE(source->is_instant());
      EXPECT_EQ(source->frame_count(), 4);
      EXPECT_EQ(source->Skip(3).value(), 3);
      ExpectFrame(MustNext(*source), clip, 3);
      EXPECT_TRUE(source->CheckIntact().ok());
    }
}

TEST(AlignedVideo, SamplesOfOneByteLieAnywhere) {
  const TempDir dir;
  const Clip clip = MakeClip({16, 8}, 2);
  for (const std::string marker : {"FRAME\n", "FRAME X\n", "FRAME Xa\n"}) {
    WriteFile(dir / "a.y4m", clip.Y4m("C420", marker));
    const auto source = MustOpen(dir / "a.y4m");
    EXPECT_EQ(source->conversion(), nullptr);
    ExpectClip(*source, clip);
  }
}

/// The parameter of each second frame moves it to an address of the other parity.
TEST(AlignedVideo, FramesMayLieAtEvenAddressesToo) {
  const TempDir dir;
  const Clip clip = MakeClip({17, 9, 10}, 6);
  const std::pair<std::string, std::string> markers[] = {
      {"FRAME\n", "FRAME Xa\n"}, {"FRAME Xa\n", "FRAME\n"}, {"FRAME X\n", "FRAME Xa\n"}};
  for (const auto& [marker, second] : markers)
    for (const bool is_odd : {false, true}) {
      WriteFile(dir / "a.y4m", FileOf(clip, is_odd, marker, second));
      EXPECT_EQ(MustOpen(dir / "a.y4m")->conversion() != nullptr, is_odd);
      ExpectClip(*MustOpen(dir / "a.y4m"), clip);
      const auto ahead =
          Prefetch(MustOpen(dir / "a.y4m"), std::make_shared<ThreadPool>(2, ThreadPool::Mode::kThreads), 3);
      ExpectClip(*ahead, clip);
      if (!is_odd) continue;
      const auto lazy = MustOpen(dir / "a.y4m");
      lazy->DeferConversion();
      bool is_seen[2] = {};
      for (size_t i = 0; i < clip.frames.size(); ++i) {
        const Picture picture = MustNext(*lazy);
        is_seen[LiesOdd(picture.lazy->source()) ? 1 : 0] = true;
        ExpectFrame(Materialize(picture).value(), clip, i);
      }
      EXPECT_TRUE(is_seen[1]);
      EXPECT_EQ(is_seen[0], marker.size() % 2 != second.size() % 2 || clip.FrameBytes(0).size() % 2 == 1);
    }
}

TEST(AlignedVideo, LeftLazyNothingIsCopied) {
  const TempDir dir;
  const Clip clip = MakeClip({17, 9, 10}, 4);
  WriteFile(dir / "a.y4m", FileOf(clip, true));
  const auto source = MustOpen(dir / "a.y4m");
  EXPECT_TRUE(source->conversion()->is_identity());
  source->DeferConversion();
  EXPECT_TRUE(source->is_instant());
  for (size_t i = 0; i < clip.frames.size(); ++i) {
    const Picture picture = MustNext(*source);
    ASSERT_NE(picture.lazy, nullptr);
    EXPECT_EQ(picture.planes[0].data, nullptr);
    const Plane plane = PlaneOf(picture, 2).value();
    EXPECT_EQ(plane.data, picture.lazy->source().planes[2].data);
    EXPECT_EQ(picture.lazy->result().planes[0].data, nullptr) << "made";
    ExpectFrame(Materialize(picture).value(), clip, i);
  }
}

TEST(AlignedVideo, PicturesAreMadeAhead) {
  const TempDir dir;
  const Clip clip = MakeClip({34, 18, 10}, 20);
  const auto crew = std::make_shared<ThreadPool>(2, ThreadPool::Mode::kThreads);
  for (const bool is_odd : {false, true}) {
    WriteFile(dir / "a.y4m", FileOf(clip, is_odd));
    auto source = MustOpen(dir / "a.y4m");
    const VideoSource* const plain = source.get();
    const auto ahead = Prefetch(std::move(source), crew, 4);
    EXPECT_EQ(ahead.get() != plain, is_odd);
    ExpectClip(*ahead, clip);
    source = MustOpen(dir / "a.y4m");
    source->DeferConversion();
    const VideoSource* const lazy = source.get();
    EXPECT_EQ(Prefetch(std::move(source), crew, 4).get(), lazy);
  }
}

TEST(AlignedVideo, PipesAreReadIntoMemory) {
  const TempDir dir;
  const Clip clip = MakeClip({17, 9, 10}, 3);
  const std::string fifo = MakeFifo(dir / "fifo");
  const FifoWriter writer(fifo, FileOf(clip, true));
  const auto source = MustOpen(fifo);
  EXPECT_EQ(source->conversion(), nullptr);
  ExpectClip(*source, clip);
}

TEST(AlignedVideo, EndsWithTheErrorOfItsFile) {
  const TempDir dir;
  const Clip clip = MakeClip({4, 4, 10}, 2);
  const std::string even = FileOf(clip, false), odd = FileOf(clip, true);
  const size_t even_header = even.find('\n') + 1, odd_header = odd.find('\n') + 1;
  for (size_t bytes = 0; odd_header + bytes <= odd.size(); ++bytes) {
    int even_frames = 0, odd_frames = 0;
    WriteFile(dir / "a.y4m", even.substr(0, even_header + bytes));
    const std::string expected = ErrorOf(dir / "a.y4m", &even_frames);
    WriteFile(dir / "a.y4m", odd.substr(0, odd_header + bytes));
    EXPECT_EQ(ErrorOf(dir / "a.y4m", &odd_frames), expected) << bytes;
    EXPECT_EQ(odd_frames, even_frames) << bytes;
  }
  std::string damaged = odd;
  damaged.replace(odd_header, 5, "GRAPE");
  WriteFile(dir / "a.y4m", damaged);
  EXPECT_THAT(ErrorOf(dir / "a.y4m"), testing::HasSubstr("no frame marker before frame 0"));
  WriteFile(dir / "a.y4m", odd.substr(0, odd_header) + "FRAME " + std::string(400, 'x'));
  EXPECT_THAT(ErrorOf(dir / "a.y4m"), testing::HasSubstr("the marker of frame 0 does not end"));
}

TEST(AlignedVideo, FileThatShrinksIsFoundOut) {
  const TempDir dir;
  const Clip clip = MakeClip({512, 256, 10}, 4);
  for (const bool leaves_lazy : {false, true}) {
    WriteFile(dir / "a.y4m", FileOf(clip, true));
    const auto source = MustOpen(dir / "a.y4m");
    if (leaves_lazy) source->DeferConversion();
    const Picture first = MustNext(*source), second = MustNext(*source);
    std::filesystem::resize_file(dir / "a.y4m", 1000);
    const Result<Picture> made = Materialize(second);
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_NE(made->planes[0].data, nullptr);
    EXPECT_THAT(source->CheckIntact().message(), testing::HasSubstr("became shorter while it was read"));
    EXPECT_FALSE(source->Next().ok());
  }
}

using Wrap = std::function<std::unique_ptr<VideoSource>(std::unique_ptr<VideoSource>)>;

/// A filter gives the pictures of a file with even addresses, whether they are converted at once, ahead or lazily.
void ExpectWrapped(const Wrap& wrap, bool may_leave_source) {
  const TempDir dir;
  const Clip clip = MakeClip({35, 33, 10}, 5);
  WriteFile(dir / "even.y4m", FileOf(clip, false));
  WriteFile(dir / "odd.y4m", FileOf(clip, true));
  const auto even = wrap(MustOpen(dir / "even.y4m")), odd = wrap(MustOpen(dir / "odd.y4m"));
  const auto ahead =
      Prefetch(wrap(MustOpen(dir / "odd.y4m")), std::make_shared<ThreadPool>(2, ThreadPool::Mode::kThreads), 3);
  const auto lazy = wrap(MustOpen(dir / "odd.y4m"));
  lazy->DeferConversion();
  for (int i = 0; i < 5; ++i) {
    const Picture expected = MustNext(*even);
    ExpectSameSamples(MustNext(*odd), expected);
    ExpectSameSamples(MustNext(*ahead), expected);
    const Picture later = MustNext(*lazy);
    EXPECT_EQ(later.lazy && LiesOdd(later.lazy->source()), may_leave_source);
    ExpectSameSamples(Materialize(later).value(), expected);
  }
}

std::unique_ptr<VideoSource> Scale(std::unique_ptr<VideoSource> video) {
  return ScaleVideo(std::move(video), 20, 50, {}).value();
}
std::unique_ptr<VideoSource> To444(std::unique_ptr<VideoSource> video) {
  return ConvertChroma(std::move(video), {.to = PixelFormat::k444}).value();
}
std::unique_ptr<VideoSource> Deepen(std::unique_ptr<VideoSource> video) { return ExpandBitDepth(std::move(video), 12); }
std::unique_ptr<VideoSource> Crop(std::unique_ptr<VideoSource> video) {
  return CropVideo(std::move(video), {20, 16, 4, 2}).value();
}

TEST(AlignedVideo, IsScaledAndChanged) {
  ExpectWrapped(Scale, true);
  ExpectWrapped(To444, true);
  ExpectWrapped(Deepen, true);
  ExpectWrapped([](auto video) { return Deepen(To444(Scale(std::move(video)))); }, true);
}

/// Cropping reads samples on the host.
TEST(AlignedVideo, IsCropped) {
  ExpectWrapped(Crop, false);
  ExpectWrapped([](auto video) { return Scale(Crop(std::move(video))); }, false);
}

}  // namespace
}  // namespace acutance
