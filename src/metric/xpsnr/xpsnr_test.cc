#include "metric/xpsnr/xpsnr.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "metric/testing/recorder.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Compares the SIMD with the reference implementation, with no picture before, one and two; rows `step` apart.
void ExpectBlocksEqualToRef(const Picture& reference, const Picture& distorted, const Picture& before,
                            const Picture& before_that, int step = 1) {
  const PictureFormat& format = reference.format;
  const XpsnrGrid grid(format);
  for (const int known : {0, 1, 2})
    for (const XpsnrOrder order : {XpsnrOrder::kNone, XpsnrOrder::kFirst, XpsnrOrder::kSecond}) {
      const XpsnrFrame frame = {.reference = reference.planes,
                                .distorted = distorted.planes,
                                .before = known > 0 ? &before.planes[0] : nullptr,
                                .before_that = known > 1 ? &before_that.planes[0] : nullptr,
                                .order = order};
      std::vector<int64_t> expected(size_t{XPSNR_WORDS} * grid.columns), words(expected.size());
      for (int row = 0; row < grid.rows; row += step) {
        XpsnrBlockRowRef(grid, frame, row, expected);
        ForEachTarget([&] {
          static XpsnrBuffers buffers(XpsnrGrid({.width = 4200, .height = 4}));  // reused, dirty, as the engine does
          XpsnrBlockRow(grid, frame, row, words, buffers);
          EXPECT_EQ(words, expected) << fmt::format("{}x{} {} {} bit, row {}", format.width, format.height,
                                                    PixelFormatName(format.pixel_format), format.bit_depth, row);
        });
      }
    }
}

template <class Fill>
void ExpectFilledEqualToRef(const PictureFormat& format, Fill fill) {
  ExpectBlocksEqualToRef(MakeTestPicture(format, fill), MakeTestPicture(format, fill), MakeTestPicture(format, fill),
                         MakeTestPicture(format, fill));
}

/// An odd picture as files have it: with the last column and row of chroma.
Picture OddNoise(std::mt19937& random, int depth) {
  const auto noise = [&](int, int, int) { return random() & ((1 << depth) - 1); };
  Picture picture = MakeTestPicture({98, 76, depth, PixelFormat::k420}, noise);
  picture.format.width = 97;
  picture.format.height = 75;
  for (int p = 0; p < 3; ++p) {
    const int width = picture.format.PlaneWidth(p), height = picture.format.PlaneHeight(p);
    picture.planes[p] = {picture.planes[p].data, picture.planes[p].stride, width, height, p > 0, p > 0};
  }
  return picture;
}

TEST(XpsnrBlocks, WithTheLastChromaOfOddPictures) {
  std::mt19937 random(4);
  for (const int depth : {8, 10}) {
    Picture pictures[4];
    for (Picture& picture : pictures) {
      picture = OddNoise(random, depth);
      for (Plane& plane : picture.planes) plane = plane.Whole();
    }
    ExpectBlocksEqualToRef(pictures[0], pictures[1], pictures[2], pictures[3]);
  }
}

TEST(XpsnrBlocks, NoiseOfManySizes) {
  std::mt19937 random(1);
  const std::pair<int, int> sizes[] = {{45, 45},  {64, 33},  {97, 40},  {160, 90}, {175, 131},
                                       {321, 17}, {13, 200}, {1, 2100}, {2100, 1}, {3, 700}};
  for (const int depth : {8, 10, 12, 16})
    for (const auto& [width, height] : sizes)
      for (const PixelFormat chroma : {PixelFormat::k444, PixelFormat::k420}) {
        const PictureFormat format = {width, height, depth, chroma};
        if (format.PlaneCount() > 1 && (format.PlaneWidth(1) == 0 || format.PlaneHeight(1) == 0)) continue;
        ExpectFilledEqualToRef(format, [&](int, int, int) { return random() & ((1 << depth) - 1); });
      }
}

TEST(XpsnrBlocks, BigPicturesHaveCells) {
  std::mt19937 random(2);
  for (const int depth : {8, 12})
    for (const auto& [width, height] : {std::pair{4100, 577}, {2050, 1153}}) {
      const PictureFormat format = {width, height, depth, PixelFormat::k400};
      const XpsnrGrid grid(format);
      ASSERT_TRUE(grid.is_big);
      const auto noise = [&](int, int, int) { return random() & ((1 << depth) - 1); };
      const Picture a = MakeTestPicture(format, noise), b = MakeTestPicture(format, noise);
      ExpectBlocksEqualToRef(a, b, b, a, grid.rows - 1);
    }
}

TEST(XpsnrBlocks, Extremes) {
  for (const int depth : {8, 10, 12, 16}) {
    const int max = (1 << depth) - 1;
    for (const int period : {1, 2, 3})
      ExpectFilledEqualToRef({110, 50, depth, PixelFormat::k422},
                             [&](int, int x, int y) { return (x / period + y / period) % 2 ? max : 0; });
    const PictureFormat format = {300, 160, depth};
    const Picture white = MakeTestPicture(format, [&](int, int, int) { return max; });
    const Picture black = MakeTestPicture(format, [&](int, int, int) { return 0; });
    ExpectBlocksEqualToRef(white, black, black, white);
    ExpectBlocksEqualToRef(black, white, white, black);
  }
}

// --- The metric as the engine sees it

struct Xpsnr : TestMetric {
  Xpsnr(const OptionTexts& texts, const PictureFormat& format) : TestMetric(kXpsnrMetric, texts, format) {}
};

struct ClipScores {
  std::vector<std::vector<int64_t>> errors;  // of each frame
  std::vector<std::vector<double>> values;
  std::map<std::string, double> aggregates;
};

ClipScores ScoreClip(const Xpsnr& metric, const std::vector<Picture>& reference, const std::vector<Picture>& distorted,
                     const Split& split = OneBand) {
  const auto sequence = metric.extractor().MakeSequence();
  ScoreRecorder recorder;
  ClipScores scores;
  for (size_t t = 1; t <= reference.size(); ++t) {
    ComputedFrame frame =
        metric.Run({reference.begin(), reference.begin() + t}, {distorted.begin(), distorted.begin() + t}, split);
    sequence->Push(static_cast<int64_t>(t) - 1, {frame.values, frame.kept}, recorder);
    scores.errors.emplace_back(frame.kept.begin(), frame.kept.begin() + 3);
    scores.values.push_back(frame.values);
  }
  sequence->Flush(recorder);
  scores.aggregates = recorder.aggregates();
  return scores;
}

ClipScores ScoreKnownClip(int depth, const std::string& fps, const Split& split = OneBand) {
  std::vector<Picture> reference, distorted;
  for (int t = 0; t < 3; ++t) {
    reference.push_back(KnownPicture(depth, t, false));
    distorted.push_back(KnownPicture(depth, t, true));
  }
  return ScoreClip({{{"fps", fps}}, {400, 360, depth}}, reference, distorted, split);
}

// docs/spec/beyond.md 7.2
TEST(Xpsnr, CountsTheLastChromaOfOddPicturesWhereBothHaveIt) {
  std::mt19937 random(5);
  const Picture reference = OddNoise(random, 8), distorted = OddNoise(random, 8);
  const auto without = [](Picture picture) {
    for (Plane& plane : picture.planes) plane.more_columns = plane.more_rows = 0;
    return picture;
  };
  const TestMetric metric(kXpsnrMetric, {{"temporal", "false"}}, reference.format);
  const std::vector<double> all = metric.Values(reference, distorted);
  const std::vector<double> less = metric.Values(without(reference), without(distorted));
  EXPECT_EQ(all[0], less[0]);
  EXPECT_NE(all[1], less[1]);
  EXPECT_EQ(metric.Values(reference, without(distorted)), less);
}

TEST(Xpsnr, KnownAnswers) {
  const ClipScores at25 = ScoreKnownClip(8, "25"), at50 = ScoreKnownClip(8, "50");
  EXPECT_THAT(at25.errors, ElementsAre(ElementsAre(192851, 47590, 48069), ElementsAre(1387240, 347959, 348247),
                                       ElementsAre(1431538, 346340, 350495)));
  EXPECT_THAT(at50.errors, ElementsAre(ElementsAre(192851, 47590, 48069), ElementsAre(195246, 48739, 48983),
                                       ElementsAre(1269018, 306983, 310802)));
  EXPECT_THAT(at25.values[0][0], DoubleNear(46.862209577862, 1e-12));
  EXPECT_THAT(at25.values[1][0], DoubleNear(38.292912501026, 1e-12));
  EXPECT_THAT(at50.values[2][0], DoubleNear(38.679750707067, 1e-12));
  EXPECT_THAT(at25.aggregates.at("xpsnr_average_y"), DoubleNear(40.2721358486, 1e-10));
  EXPECT_THAT(at25.aggregates.at("xpsnr_average_u"), DoubleNear(40.3351960467, 1e-10));
  EXPECT_THAT(at25.aggregates.at("xpsnr_average_v"), DoubleNear(40.3050289157, 1e-10));
  EXPECT_EQ(at25.aggregates.at("xpsnr_minimum"), at25.aggregates.at("xpsnr_average_y"));
  const double weighted =
      -10 *
      std::log10((4 * std::pow(10, -4.02721358486) + std::pow(10, -4.03351960467) + std::pow(10, -4.03050289157)) / 6);
  EXPECT_THAT(at25.aggregates.at("xpsnr_weighted"), DoubleNear(weighted, 1e-9));
}

TEST(Xpsnr, EachSetOfOptionsHasAveragesOfItsOwn) {
  const Xpsnr metric({{"temporal", "false"}}, {400, 360, 8});
  std::vector<std::string> names;
  for (const auto& [name, value] :
       ScoreClip(metric, {KnownPicture(8, 0, false)}, {KnownPicture(8, 0, true)}).aggregates)
    names.push_back(name);
  EXPECT_THAT(names,
              UnorderedElementsAre("xpsnr_average_y_temporal", "xpsnr_average_u_temporal", "xpsnr_average_v_temporal",
                                   "xpsnr_minimum_temporal", "xpsnr_weighted_temporal"));
}

TEST(Xpsnr, KnownAnswersAt10Bit) {
  const ClipScores at25 = ScoreKnownClip(10, "25"), at50 = ScoreKnownClip(10, "50");
  EXPECT_THAT(at25.errors, ElementsAre(ElementsAre(3070286, 757652, 765294), ElementsAre(23551837, 5908555, 5913676),
                                       ElementsAre(24253917, 5986302, 6100701)));
  EXPECT_THAT(at50.errors, ElementsAre(ElementsAre(3070286, 757652, 765294), ElementsAre(3337106, 833259, 837964),
                                       ElementsAre(21445690, 5292931, 5396261)));
  EXPECT_THAT(at50.aggregates.at("xpsnr_average_y"), DoubleNear(43.0367555565, 1e-10));
}

TEST(Xpsnr, NoSplitIntoBandsChangesABit) {
  std::mt19937 random(4);
  const ClipScores whole = ScoreKnownClip(8, "25");
  EXPECT_EQ(ScoreKnownClip(8, "25", RandomBands(random, 4)).errors, whole.errors);
  EXPECT_EQ(ScoreKnownClip(8, "0", BandsOf(1)).errors, whole.errors);
  EXPECT_EQ(ScoreKnownClip(8, "31.99").errors, whole.errors) << "whole frames a second count";
}

TEST(Xpsnr, WithoutChangesOverTimeEachFrameStandsAlone) {
  const Xpsnr metric({{"temporal", "false"}}, {400, 360, 8});
  const Picture a = KnownPicture(8, 1, false), b = KnownPicture(8, 1, true), other = KnownPicture(8, 0, true);
  EXPECT_EQ(metric.Run({other, a}, {other, b}).words, metric.Run({a}, {b}).words);
  for (const InputSpec& input : InputsOf(kXpsnrMetric, metric.options())) EXPECT_EQ(input.history, 0);
}

TEST(Xpsnr, IdenticalPicturesAreInfinite) {
  const Picture picture = FilmPicture({64, 48, 8}, 0);
  const ClipScores scores = ScoreClip({{}, picture.format}, {picture}, {picture});
  EXPECT_THAT(scores.values, ElementsAre(ElementsAre(kInfinity, kInfinity, kInfinity)));
  for (const auto& [name, value] : scores.aggregates) EXPECT_EQ(value, kInfinity) << name;
}

// Below 2025 pixels there are no blocks.
TEST(Xpsnr, TinyPicturesHavePlainErrors) {
  const PictureFormat format = {40, 40, 8, PixelFormat::k444};
  const Picture a = MakeTestPicture(format, [](int, int x, int y) { return 100 + (x * y) % 7; });
  const Picture b = MakeTestPicture(format, [](int p, int x, int y) { return 100 + (x * y) % 7 + p + 1; });
  EXPECT_THAT(Xpsnr({}, format).Run({a}, {b}).kept, ElementsAre(1600, 4 * 1600, 9 * 1600, 1600));
}

TEST(Xpsnr, LumaAloneWithoutChroma) {
  const Picture a = FilmPicture({64, 48, 8, PixelFormat::k400}, 0),
                b = FilmPicture({64, 48, 8, PixelFormat::k400}, 0, true);
  EXPECT_EQ(Xpsnr({}, a.format).Named(Xpsnr({}, a.format).Values(a, b)).size(), 1u);
  EXPECT_THAT(RefusalOf(kXpsnrMetric, {}, {1, 48, 8}), testing::HasSubstr("no chroma samples"));
}

}  // namespace
}  // namespace acutance
