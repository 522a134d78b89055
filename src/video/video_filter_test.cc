// Filters that compute a video from another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <utility>

#include "convert/picture_conversion.h"
#include "image/lazy_picture.h"
#include "video/deinterlace.h"
#include "video/filters.h"
#include "video/prefetch.h"
#include "video/replay_buffer.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Sample = std::function<int(int frame, int plane, int x, int y)>;

Picture MakePicture(const PictureFormat& format, int frame, const Sample& sample) {
  const MutablePicture picture = AllocatePicture(format).value();
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        if (format.bit_depth == 8) picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(sample(frame, p, x, y));
        else picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(sample(frame, p, x, y));
      }
  return picture.Share();
}

/// Frames of samples that are made as they are read; one may be damaged.
class MadeVideo : public VideoSource {
 public:
  MadeVideo(const PictureFormat& format, int frames, Sample sample, int damaged = -1)
      : format_(format), frames_(frames), damaged_(damaged), sample_(std::move(sample)) {}
  const PictureFormat& format() const override { return format_; }
  std::optional<int64_t> frame_count() const override { return frames_; }
  std::optional<double> time() const override { return (next_ - 1) * 0.5; }
  Result<std::optional<Picture>> Next() override {
    if (next_ == damaged_) return Error(StatusCode::kBadData, "damaged");
    if (next_ == frames_) return std::optional<Picture>();
    return std::optional(MakePicture(format_, next_++, sample_));
  }

 private:
  const PictureFormat format_;
  const int frames_, damaged_;
  const Sample sample_;
  int next_ = 0;
};

constexpr PictureFormat kGray = {32, 32, 8, PixelFormat::k400};

std::unique_ptr<VideoSource> Numbered(int frames, int damaged = -1) {
  return std::make_unique<MadeVideo>(
      kGray, frames, [](int frame, int, int, int) { return frame; }, damaged);
}

/// The first sample, as 8 bits, and the time of each frame up to the end or an error.
std::vector<std::pair<int, double>> Read(VideoSource& video, int most = 100, Status* error = nullptr) {
  std::vector<std::pair<int, double>> read;
  while (static_cast<int>(read.size()) < most) {
    const Result<std::optional<Picture>> picture = video.Next();
    if (error && !picture.ok()) *error = picture.status();
    if (!picture.ok() || !*picture) break;
    const Plane& plane = (*picture)->planes[0];
    const int depth = (*picture)->format.bit_depth;
    const int sample = depth > 8 ? plane.Row<uint16_t>(0)[0] >> (depth - 8) : plane.Row<uint8_t>(0)[0];
    read.emplace_back(sample, *video.time());
  }
  return read;
}

TEST(SelectFrames, HandsOutTheFramesOfAList) {
  const auto video = SelectFrames(Numbered(10), {0, 3, 4, 9});
  EXPECT_EQ(video->frame_count(), 4);
  EXPECT_THAT(Read(*video), ElementsAre(std::pair(0, 0.0), std::pair(3, 1.5), std::pair(4, 2.0), std::pair(9, 4.5)));
  EXPECT_FALSE(video->Next().value());
}

TEST(SelectFrames, HandsOutAFrameAsOftenAsItIsListed) {
  EXPECT_THAT(
      Read(*SelectFrames(Numbered(6), {1, 1, 1, 4, 4})),
      ElementsAre(std::pair(1, 0.5), std::pair(1, 0.5), std::pair(1, 0.5), std::pair(4, 2.0), std::pair(4, 2.0)));
  for (const auto& [skipped, left] : {std::pair(1, 3u), std::pair(2, 2u), std::pair(4, 0u)}) {
    const auto video = SelectFrames(Numbered(6), {1, 1, 1, 4});
    EXPECT_EQ(video->Skip(skipped).value(), skipped);
    EXPECT_EQ(Read(*video).size(), left);
  }
  const auto video = SelectFrames(Numbered(6), {1, 1, 1, 4, 4});
  EXPECT_TRUE(video->Next().value());
  EXPECT_EQ(video->Skip(2).value(), 2);
  EXPECT_THAT(Read(*video), ElementsAre(std::pair(4, 2.0), std::pair(4, 2.0)));
}

TEST(SelectFrames, SkipsItsOwnFramesAndEndsWithItsSource) {
  const auto video = SelectFrames(Numbered(6), {1, 2, 4, 7});
  EXPECT_EQ(video->Skip(2).value(), 2);
  EXPECT_THAT(Read(*video), ElementsAre(std::pair(4, 2.0)));
  EXPECT_EQ(SelectFrames(Numbered(6), {1, 2})->Skip(5).value(), 2);
  EXPECT_FALSE(SelectFrames(Numbered(6), {})->Next().value());
}

TEST(ReplayBuffer, IsReadAgain) {
  ReplayBuffer buffer(Numbered(4), 1 << 20);
  EXPECT_EQ(Read(*buffer.Open().value(), 2).size(), 2u);
  for (int again = 0; again < 2; ++again)
    EXPECT_THAT(Read(*buffer.Open().value()),
                ElementsAre(std::pair(0, 0.0), std::pair(1, 0.5), std::pair(2, 1.0), std::pair(3, 1.5)));
}

TEST(ReplayBuffer, CachesNothingThatIsTooLarge) {
  ReplayBuffer buffer(Numbered(4), 3 * 32 * 32);
  EXPECT_EQ(Read(*buffer.Open().value(), 3).size(), 3u);
  {
    const auto again = buffer.Open().value();
    EXPECT_EQ(Read(*again).size(), 4u) << "the fourth is read, and nothing is cached from there on";
  }
  EXPECT_THAT(buffer.Open().status().message(), HasSubstr("a pipe cannot be read again"));
}

TEST(ReplayBuffer, FreesWhatTheNextReadingHasPassed) {
  ReplayBuffer buffer(Numbered(4), 1 << 20);
  EXPECT_EQ(Read(*buffer.Open().value(), 2).size(), 2u);
  buffer.ReleaseAsRead();
  EXPECT_GT(buffer.bytes(), 0u);
  EXPECT_EQ(Read(*buffer.Open().value()).size(), 4u);
  EXPECT_EQ(buffer.bytes(), 0u);
  EXPECT_FALSE(buffer.Open().ok());
}

TEST(ReplayBuffer, EndsAtDamage) {
  ReplayBuffer buffer(Numbered(4, 2), 1 << 20);
  EXPECT_EQ(Read(*buffer.Open().value()).size(), 2u);
  EXPECT_EQ(Read(*buffer.Open().value()).size(), 2u);
}

Picture WithChroma(const PictureFormat& format, const Sample& sample, const ChromaChange& change) {
  return ConvertChroma(std::make_unique<MadeVideo>(format, 1, sample), change).value()->Next().value().value();
}

TEST(ConvertChroma, PreservesFlatColorsAndLuma) {
  const Sample sample = [](int, int p, int x, int y) { return p == 0 ? 3 * x + y : 60 * p; };
  for (const PixelFormat from : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    for (const PixelFormat to : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444}) {
      const Picture picture = WithChroma({33, 17, 8, from}, sample, {.to = to});
      EXPECT_EQ(picture.format.pixel_format, to);
      EXPECT_EQ(picture.planes[0].Row<uint8_t>(16)[32], 3 * 32 + 16);
      for (int p = 1; p <= 2; ++p) {
        EXPECT_EQ(picture.planes[p].width, picture.format.PlaneWidth(p));
        for (int y = 0; y < picture.format.PlaneHeight(p); ++y)
          for (int x = 0; x < picture.format.PlaneWidth(p); ++x)
            ASSERT_EQ(picture.planes[p].Row<uint8_t>(y)[x], 60 * p) << x << " " << y;
      }
    }
}

/// Chroma that grows evenly stays where it is seen, at any siting. Sample x of luma has 2 x + 20.
TEST(ConvertChroma, RespectsSiting) {
  for (const double siting : {0.0, 0.5}) {
    const Sample halved = [&](int, int p, int x, int) {
      return p == 0 ? 0 : static_cast<int>(2 * (2 * x + siting) + 20);
    };
    const ChromaSiting place = {siting, 0.5};
    const Picture full = WithChroma({64, 32, 8, PixelFormat::k422}, halved, {.to = PixelFormat::k444, .siting = place});
    for (int x = 8; x < 56; ++x) EXPECT_NEAR(full.planes[1].Row<uint8_t>(9)[x], 2 * x + 20, 1) << siting;
    const Sample each = [](int, int p, int x, int) { return p == 0 ? 0 : 2 * x + 20; };
    const Picture half =
        WithChroma({64, 32, 8, PixelFormat::k444}, each, {.to = PixelFormat::k422, .to_siting = place});
    for (int x = 4; x < 28; ++x) EXPECT_NEAR(half.planes[2].Row<uint8_t>(9)[x], 2 * (2 * x + siting) + 20, 1) << siting;
  }
}

TEST(ConvertChroma, AddsAndLeavesOutChroma) {
  const Sample sample = [](int, int p, int, int) { return 50 + p; };
  const auto made = [&](PixelFormat from, PixelFormat to, int depth) {
    return WithChroma({16, 16, depth, from}, sample, {.to = to});
  };
  EXPECT_EQ(made(PixelFormat::k400, PixelFormat::k420, 8).planes[2].Row<uint8_t>(7)[7], 128);
  EXPECT_EQ(made(PixelFormat::k400, PixelFormat::k444, 10).planes[1].Row<uint16_t>(15)[15], 512);
  EXPECT_EQ(made(PixelFormat::k420, PixelFormat::k400, 8).planes[1].data, nullptr);
}

constexpr PictureFormat kMoving = {64, 64, 8, PixelFormat::k420};

/// Bars that move sideways; field k is at time k.
int Bars(int time, int x) { return ((x + 5 * time) / 8) % 2 == 0 ? 60 : 180; }

/// Two fields in each frame, the earlier one in the rows of `first`.
Sample Woven(int first) {
  return
      [first](int frame, int p, int x, int y) { return p == 0 ? Bars(2 * frame + (y % 2 == first ? 0 : 1), x) : 128; };
}

TEST(Deinterlacing, CompletesTheFirstField) {
  for (const int first : {0, 1}) {
    const Picture before = MakePicture(kMoving, 0, Woven(first)), now = MakePicture(kMoving, 1, Woven(first)),
                  after = MakePicture(kMoving, 2, Woven(first));
    EXPECT_TRUE(IsCombed(now));
    const Picture made = Deinterlace(&before, now, &after, first == 1).value();
    EXPECT_FALSE(IsCombed(made));
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) ASSERT_EQ(made.planes[0].Row<uint8_t>(y)[x], Bars(2, x)) << x << " " << y;
  }
}

TEST(Deinterlacing, LeavesStillsAlone) {
  const Sample still = [](int, int, int x, int y) { return (x * 37 + y * y * 11) % 200; };
  const Picture picture = MakePicture(kMoving, 0, still);
  const Picture made = Deinterlace(&picture, picture, &picture, false).value();
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < kMoving.PlaneHeight(p); ++y)
      for (int x = 0; x < kMoving.PlaneWidth(p); ++x)
        ASSERT_EQ(made.planes[p].Row<uint8_t>(y)[x], picture.planes[p].Row<uint8_t>(y)[x]);
}

TEST(Deinterlacing, TakesPicturesOfOneRowAndOfNoNeighbours) {
  const Picture row = MakePicture({8, 1, 10, PixelFormat::k400}, 0, [](int, int, int x, int) { return 100 * x; });
  const Picture made = Deinterlace(nullptr, row, nullptr, true).value();
  for (int x = 0; x < 8; ++x) EXPECT_EQ(made.planes[0].Row<uint16_t>(0)[x], 100 * x);
  const Picture alone = MakePicture(kMoving, 0, Woven(0));
  EXPECT_FALSE(IsCombed(Deinterlace(nullptr, alone, nullptr, false).value()));
}

TEST(DeinterlacedVideo, GivesTheSameFrameWhereverItBegins) {
  const auto open = [](int damaged = -1) {
    return DeinterlaceVideo(std::make_unique<MadeVideo>(kMoving, 5, Woven(0), damaged)).value();
  };
  const auto all = open(), part = open();
  std::vector<Picture> pictures;
  for (int frame = 0; frame < 5; ++frame) {
    pictures.push_back(all->Next().value().value());
    EXPECT_EQ(*all->time(), 0.5 * frame);
    EXPECT_EQ(pictures.back().planes[0].Row<uint8_t>(20)[3], Bars(2 * frame, 3));
  }
  EXPECT_FALSE(all->Next().value());
  EXPECT_EQ(part->Skip(3).value(), 3);
  const Picture fourth = part->Next().value().value();
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      ASSERT_EQ(fourth.planes[0].Row<uint8_t>(y)[x], pictures[3].planes[0].Row<uint8_t>(y)[x]);
  const auto damaged = open(2);
  EXPECT_EQ(Read(*damaged).size(), 2u);
  EXPECT_EQ(open()->Skip(9).value(), 5);
}

/// Numbered frames, scaled and expanded, which threads prefetch.
std::unique_ptr<VideoSource> Prefetched(int frames, int threads, int most, int damaged = -1) {
  std::unique_ptr<VideoSource> scaled = ScaleVideo(Numbered(frames, damaged), 64, 48, {}).value();
  return Prefetch(ExpandBitDepth(std::move(scaled), 10),
                  std::make_shared<ThreadPool>(threads, ThreadPool::Mode::kThreads), most);
}

/// The video, whose pictures come lazy.
std::unique_ptr<VideoSource> Deferred(std::unique_ptr<VideoSource> video) {
  EXPECT_NE(video->conversion(), nullptr);
  EXPECT_EQ(video->conversion(), video->conversion());
  video->DeferConversion();
  return video;
}

void ExpectSameSamples(const Picture& found, const Picture& expected) {
  ASSERT_EQ(found.format, expected.format);
  for (int p = 0; p < expected.format.PlaneCount(); ++p)
    for (int y = 0; y < expected.format.PlaneHeight(p); ++y) {
      const size_t bytes = static_cast<size_t>(expected.format.PlaneWidth(p)) * expected.format.BytesPerSample();
      EXPECT_EQ(std::memcmp(found.planes[p].Row<std::byte>(y), expected.planes[p].Row<std::byte>(y), bytes), 0);
    }
}

enum class ColorsOf { kSource, kRgb, kOtherRange };

/// Any of the conversions that devices know, in the order in which videos get them.
struct Changes {
  ColorsOf colors;
  bool scales, converts_chroma, expands;
  int bit_depth = 8;  // of the other colors
};

PictureFormat SourceFormat(ColorsOf colors) {
  return {32, 32, 8, colors == ColorsOf::kRgb ? PixelFormat::k444 : PixelFormat::k420};
}

std::unique_ptr<VideoSource> Changed(const Changes& changes) {
  const Sample ramp = [](int frame, int plane, int x, int y) { return 7 * x + 5 * y + 11 * frame + 3 * plane; };
  std::unique_ptr<VideoSource> video = std::make_unique<MadeVideo>(SourceFormat(changes.colors), 3, ramp);
  if (changes.colors == ColorsOf::kRgb) {
    video = ConvertRgb(std::move(video));
    EXPECT_TRUE(video->SetRgbColor({.full_range = true, .matrix = Matrix::kBt2020}, changes.bit_depth).ok());
  }
  if (changes.colors == ColorsOf::kOtherRange) video = ConvertRange(std::move(video), {true, changes.bit_depth});
  if (changes.scales) video = ScaleVideo(std::move(video), 61, 23, {}).value();
  if (changes.converts_chroma) video = ConvertChroma(std::move(video), {.to = PixelFormat::k422}).value();
  return changes.expands ? ExpandBitDepth(std::move(video), 12) : std::move(video);
}

/// Each of the first frames comes lazy, from a source of this format, and gets the samples of a conversion at once.
template <class Open>
void ExpectOnDemand(const Open& open, const PictureFormat& source, int frames = 1) {
  const auto made = open(), lazy = Deferred(open());
  for (int frame = 0; frame < frames; ++frame) {
    const Picture expected = **made->Next(), later = **lazy->Next();
    EXPECT_EQ(later.format, expected.format);
    EXPECT_EQ(later.planes[0].data, nullptr);
    ASSERT_NE(later.lazy, nullptr);
    EXPECT_EQ(later.lazy->conversion(), static_cast<const DeferrableConversion*>(lazy->conversion().get()));
    EXPECT_EQ(later.lazy->source().format, source);
    ExpectSameSamples(Materialize(later).value(), expected);
  }
}

TEST(DeferConversion, PicturesAreConvertedOnDemand) {
  for (int which = 1; which < 48; ++which) {
    const auto colors = static_cast<ColorsOf>(which % 24 / 8);
    const bool deepens = which >= 24 && colors != ColorsOf::kSource;
    const Changes changes = {colors, (which & 1) != 0, (which & 2) != 0, (which & 4) != 0, deepens ? 10 : 8};
    if (which == 24) continue;  // no change
    ExpectOnDemand([&] { return Changed(changes); }, SourceFormat(colors), 3);
  }
}

TEST(DeferConversion, OtherVideosHaveNoConversion) {
  EXPECT_EQ(Numbered(3)->conversion(), nullptr);
  EXPECT_EQ(ConvertChroma(Numbered(3), {.to = PixelFormat::k420}).value()->conversion(), nullptr) << "chroma is added";
}

/// Devices make changes in one order: what a video below does in another is done by the host.
TEST(DeferConversion, ChangesInAnotherOrderAreTheHosts) {
  const auto open = [] {
    const Sample ramp = [](int frame, int plane, int x, int y) { return 7 * x + 5 * y + 11 * frame + 3 * plane; };
    auto expanded = ExpandBitDepth(std::make_unique<MadeVideo>(PictureFormat{32, 32}, 3, ramp), 10);
    return ConvertChroma(std::move(expanded), {.to = PixelFormat::k444}).value();
  };
  EXPECT_EQ(open()->conversion(), nullptr);
  ExpectOnDemand([&] { return ScaleVideo(open(), 61, 23, {}).value(); }, {32, 32, 10, PixelFormat::k444});
}

/// Colors come first, and once.
TEST(DeferConversion, ColorsOfOtherChangesAreTheHosts) {
  const auto open = [] { return Changed({.colors = ColorsOf::kRgb, .scales = true}); };
  EXPECT_EQ(ConvertRange(open(), {false, 8})->conversion(), nullptr);
  EXPECT_EQ(ConvertRange(Changed({.colors = ColorsOf::kRgb}), {false, 8})->conversion(), nullptr);
  ExpectOnDemand([&] { return ExpandBitDepth(ConvertRange(open(), {false, 8}), 10); }, {61, 23, 8, PixelFormat::k444});
}

/// Cropped pictures of red, green and blue are made before they are cropped.
TEST(DeferConversion, ColorsBelowOtherVideosAreTheHosts) {
  const auto open = [] {
    return CropVideo(Changed({.colors = ColorsOf::kRgb}), {.width = 20, .height = 16, .x = 4, .y = 8}).value();
  };
  EXPECT_EQ(open()->conversion(), nullptr);
  ExpectOnDemand([&] { return ExpandBitDepth(open(), 10); }, {20, 16, 8, PixelFormat::k444});
}

/// Deferred pictures cost nothing, so that none is prefetched, unless a filter below does.
TEST(DeferConversion, NothingIsPrefetched) {
  const auto crew = std::make_shared<ThreadPool>(1, ThreadPool::Mode::kThreads);
  auto scaled = ExpandBitDepth(ScaleVideo(Numbered(3), 64, 48, {}).value(), 10);
  const VideoSource* const plain = scaled.get();
  EXPECT_EQ(Prefetch(Deferred(std::move(scaled)), crew, 4).get(), plain);
  auto expanded = ScaleVideo(ExpandBitDepth(Numbered(3), 10), 64, 48, {}).value();
  const VideoSource* const costly = expanded.get();
  const auto ahead = Prefetch(Deferred(std::move(expanded)), crew, 4);
  EXPECT_NE(ahead.get(), costly);
  EXPECT_NE((*ahead->Next())->lazy, nullptr);
}

TEST(Prefetch, ChangesNothing) {
  for (const int threads : {0, 1, 3})
    for (const int most : {1, 2, 7})
      for (const int frames : {0, 1, 5, 40}) {
        const auto video = Prefetched(frames, threads, most);
        Status error;
        const auto seen = Read(*video, 100, &error);
        EXPECT_TRUE(error.ok());
        ASSERT_EQ(std::ssize(seen), frames);
        for (int k = 0; k < frames; ++k) EXPECT_EQ(seen[k], std::pair(k, k * 0.5));
      }
}

TEST(Prefetch, HandsOutWhatComesBeforeADamagedFrame) {
  const auto video = Prefetched(40, 2, 8, 11);
  Status error;
  EXPECT_EQ(Read(*video, 100, &error).size(), 11u);
  EXPECT_THAT(error.message(), HasSubstr("damaged"));
}

TEST(Prefetch, SkipsFramesThatAreMadeAndThoseBehind) {
  const auto video = Prefetched(40, 2, 8);
  ASSERT_TRUE(video->Next().ok());
  EXPECT_EQ(video->Skip(3).value(), 3);
  EXPECT_EQ((*video->Next())->planes[0].Row<uint16_t>(0)[0], 4 * 4);
  EXPECT_EQ(video->Skip(20).value(), 20);
  EXPECT_EQ((*video->Next())->planes[0].Row<uint16_t>(0)[0], 25 * 4);
  EXPECT_EQ(video->Skip(100).value(), 14);
  EXPECT_FALSE(video->Next()->has_value());
}

TEST(Prefetch, MayBeDroppedWithPicturesInIt) {
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Prefetched(40, 3, 8)->Next().ok());
}

TEST(Prefetch, LeavesPicturesThatCostNothing) {
  std::unique_ptr<VideoSource> video = Numbered(3);
  const VideoSource* const plain = video.get();
  EXPECT_EQ(Prefetch(std::move(video), std::make_shared<ThreadPool>(1, ThreadPool::Mode::kThreads), 4).get(), plain);
}

}  // namespace
}  // namespace acutance
