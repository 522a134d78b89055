#include "video/pair_reader.h"

#include <gmock/gmock.h>

#include <chrono>

#include "tests/io/io_test_util.h"
#include "video/filters.h"

namespace acutance {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr PictureFormat kFormat{18, 10, 8, PixelFormat::k420};

class PairReaderTest : public testing::TestWithParam<int> {  // read_ahead
 protected:
  PairReaderTest() { options_.read_ahead = GetParam(); }

  PairReaderInput Input(const std::string& name, const Clip& clip, int64_t skip = 0, size_t cut = 0) {
    const std::string bytes = clip.Yuv();
    WriteFile(dir_ / name, bytes.substr(0, bytes.size() - cut));
    return {name, MustOpen(dir_ / name, {clip.format}), skip};
  }

  template <class... Distorted>
  std::unique_ptr<PairReader> Open(PairReaderInput reference, Distorted... distorted) {
    std::vector<PairReaderInput> all;
    (all.push_back(std::move(distorted)), ...);
    auto reader = PairReader::Open(std::move(reference), std::move(all), options_);
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    return reader.ok() ? std::move(*reader) : nullptr;
  }

  /// The next pair, which must exist and have this index.
  static FramePair MustRead(PairReader& reader, int index) {
    auto pair = reader.Next();
    EXPECT_TRUE(pair.ok() && *pair) << pair.status().message();
    if (!pair.ok() || !*pair) return {};
    EXPECT_EQ((*pair)->index, index);
    return std::move(**pair);
  }

  TempDir dir_;
  PairReaderOptions options_;
};

TEST_P(PairReaderTest, MatchesByFrameOrder) {
  const Clip a = MakeClip(kFormat, 20, 1), b = MakeClip(kFormat, 20, 2), c = MakeClip(kFormat, 20, 3);
  auto reader = Open(Input("a", a), Input("b", b), Input("c", c));
  EXPECT_EQ(reader->frame_count(), 20);
  EXPECT_EQ(reader->format(), kFormat);
  for (int i = 0; i < 20; ++i) {
    const FramePair pair = MustRead(*reader, i);
    ExpectFrame(pair.reference, a, i);
    ASSERT_EQ(pair.distorted.size(), 2u);
    ExpectFrame(pair.distorted[0], b, i);
    ExpectFrame(pair.distorted[1], c, i);
  }
  EXPECT_FALSE(reader->Next()->has_value());
  EXPECT_FALSE(reader->Next()->has_value());
  EXPECT_THAT(reader->length_warnings(), IsEmpty());
}

TEST_P(PairReaderTest, SkipsAndStopsAtTheLimit) {
  const Clip a = MakeClip(kFormat, 10, 1), b = MakeClip(kFormat, 8, 2);
  options_.frame_limit = 3;
  auto reader = Open(Input("a", a, 4), Input("b", b, 2));
  EXPECT_EQ(reader->frame_count(), 3);
  for (int i = 0; i < 3; ++i) {
    const FramePair pair = MustRead(*reader, i);
    ExpectFrame(pair.reference, a, i + 4);
    ExpectFrame(pair.distorted[0], b, i + 2);
  }
  EXPECT_FALSE(reader->Next()->has_value());
  EXPECT_THAT(reader->length_warnings(), IsEmpty());
}

TEST_P(PairReaderTest, SkippingPastTheEndGivesNothing) {
  auto reader = Open(Input("a", MakeClip(kFormat, 3)), Input("b", MakeClip(kFormat, 3), 5));
  EXPECT_EQ(reader->frame_count(), 0);
  auto pair = reader->Next();
  ASSERT_TRUE(pair.ok());
  EXPECT_FALSE(pair->has_value());
  EXPECT_THAT(reader->length_warnings(), ElementsAre("\"b\" ended before \"a\"."));
}

TEST_P(PairReaderTest, WarnsWhichVideoEndedFirst) {
  for (const auto& [lengths, warning] : {std::pair{std::pair{3, 5}, "\"a\" ended before \"b\"."},
                                         std::pair{std::pair{5, 3}, "\"b\" ended before \"a\"."}}) {
    auto reader = Open(Input("a", MakeClip(kFormat, lengths.first)), Input("b", MakeClip(kFormat, lengths.second)));
    int pairs = 0;
    for (auto pair = reader->Next(); pair.ok() && *pair; pair = reader->Next()) ++pairs;
    EXPECT_EQ(pairs, 3);
    EXPECT_THAT(reader->length_warnings(), ElementsAre(warning));
  }
}

TEST_P(PairReaderTest, ReadErrorsFollowTheWholeFrames) {
  auto reader = Open(Input("a", MakeClip(kFormat, 5)), Input("b", MakeClip(kFormat, 5), 0, 7));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(reader->Next()->has_value());
  auto failed = reader->Next();
  EXPECT_EQ(failed.status().code(), StatusCode::kBadData);
  EXPECT_THAT(failed.status().message(), HasSubstr("frame 4 is incomplete"));
  EXPECT_FALSE(reader->Next()->has_value());
}

TEST_P(PairReaderTest, ReadsAVideoOfExpandedBitDepth) {
  PictureFormat deep = kFormat;
  deep.bit_depth = 12;
  const Clip a = MakeClip(kFormat, 2), b = MakeClip(deep, 2);
  PairReaderInput shallow = Input("a", a);
  shallow.video = ExpandBitDepth(std::move(shallow.video), deep.bit_depth);
  auto reader = Open(std::move(shallow), Input("b", b));
  EXPECT_EQ(reader->format(), deep);
  const FramePair pair = MustRead(*reader, 0);
  EXPECT_EQ(pair.reference.format, deep);
  ExpectFrame(pair.distorted[0], b, 0);
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < deep.PlaneHeight(p); ++y)
      for (int x = 0; x < deep.PlaneWidth(p); ++x)
        ASSERT_EQ(SampleAt(pair.reference, p, x, y), a.frames[0][p][y * a.FileWidth(p) + x] << 4);
}

TEST_P(PairReaderTest, StopsAtAnyFrame) {
  const Clip clip = MakeClip(kFormat, 30);
  for (int frames = 0; frames < 12; ++frames) {
    auto reader = Open(Input("a", clip), Input("b", clip));
    for (int i = 0; i < frames; ++i) EXPECT_TRUE(reader->Next()->has_value());
  }
}

TEST_P(PairReaderTest, AVideoThatIsNotNeededIsOnlyCounted) {
  const Clip clip = MakeClip(kFormat, 3);
  PairReaderInput distorted = Input("dis", clip, 0, 1);
  distorted.needed = false;
  auto reader = Open(Input("ref", clip), std::move(distorted));
  for (int i = 0; i < 2; ++i) {
    const FramePair pair = MustRead(*reader, i);
    EXPECT_EQ(pair.distorted[0].planes[0].data, nullptr);
    EXPECT_EQ(pair.distorted[0].format, kFormat);
    ExpectFrame(pair.reference, clip, i);
  }
  EXPECT_THAT(reader->Next().status().message(), HasSubstr("truncated: frame 2"));
}

TEST_P(PairReaderTest, CancelWakesAReaderThatWaitsForAPipe) {
  MakeFifo(dir_ / "pipe");
  const Clip clip = MakeClip(kFormat, 3);
  std::ofstream writer;
  std::thread opener([&] {
    writer.open(dir_ / "pipe", std::ios::binary);
    writer << clip.Yuv() << std::flush;
  });
  PairReaderInput slow{"slow", MustOpen(dir_ / "pipe", {clip.format})};
  opener.join();  // from here on the pipe stays open and silent
  auto reader = Open(std::move(slow), Input("b", MakeClip(kFormat, 9)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reader->Next()->has_value());
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    reader->Cancel();
  });
  EXPECT_EQ(reader->Next().status().code(), StatusCode::kCancelled);
  canceller.join();
  reader.reset();
}

INSTANTIATE_TEST_SUITE_P(ReadAhead, PairReaderTest, testing::Values(0, 1, 2, 4));

TEST(PairReader, RefusesIncompatibleVideos) {
  const TempDir dir;
  auto input = [&](const std::string& name, const PictureFormat& format) {
    WriteFile(dir / name, MakeClip(format, 1).Yuv());
    return PairReaderInput{name, MustOpen(dir / name, {format})};
  };
  auto refusal = [&](const PictureFormat& a, const std::vector<PictureFormat>& others) {
    std::vector<PairReaderInput> distorted;
    for (const PictureFormat& b : others) distorted.push_back(input(fmt::format("b{}", distorted.size()), b));
    auto reader = PairReader::Open(input("a", a), std::move(distorted), {});
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.status().code(), StatusCode::kInvalidArgument);
    return reader.status().message();
  };
  EXPECT_EQ(refusal({190, 144}, {{192, 144}}), "dimensions do not match: 190x144, 192x144");
  EXPECT_EQ(refusal({16, 16, 8, PixelFormat::k420}, {{16, 18, 10, PixelFormat::k444}}),
            "dimensions do not match: 16x16, 16x18\npixel formats do not match: 0, 3 (420, 444)\n"
            "bitdepths do not match: 8, 10");
  EXPECT_EQ(refusal({16, 16}, {{16, 16}, {16, 16, 10}}), "\"b1\": bitdepths do not match: 8, 10");
}

}  // namespace
}  // namespace acutance
