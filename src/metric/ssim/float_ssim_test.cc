#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <ranges>

#include "metric/ssim/ssim.h"
#include "metric/testing/bands.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/pictures.h"

namespace acutance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> KnownScores(int bit_depth, const OptionTexts& texts) {
  return TestMetric(kFloatSsimMetric, texts, {400, 360, bit_depth})
      .Values(KnownPicture(bit_depth, 0, false), KnownPicture(bit_depth, 0, true));
}

TEST(FloatSsim, KnownAnswers) {
  EXPECT_EQ(KnownScores(8, {{"enable_lcs", "true"}}),
            (std::vector<double>{0.9736495614051819, 0.9999943971633911, 0.9975841045379639, 0.9760012030601501}));
  EXPECT_EQ(KnownScores(10, {{"enable_lcs", "true"}}),
            (std::vector<double>{0.9737147092819214, 0.9999944567680359, 0.9976486563682556, 0.9760037064552307}));
  EXPECT_EQ(KnownScores(8, {{"scale", "2"}})[0], 0.9947696924209595);
  EXPECT_EQ(KnownScores(10, {{"scale", "2"}})[0], 0.9947715997695923);
}

TEST(FloatSsim, ShrinksByTheShorterSide) {
  const auto words = [](int width, int height, const OptionTexts& texts) {
    return TestMetric(kFloatSsimMetric, texts, {width, height, 8}).extractor().spec().words;
  };
  EXPECT_EQ(words(1920, 1080, {}), words(1920, 1080, {{"scale", "4"}}));
  EXPECT_EQ(words(1280, 720, {}), words(1280, 720, {{"scale", "3"}}));
  EXPECT_EQ(words(384, 400, {}), words(384, 400, {{"scale", "2"}}));
  EXPECT_EQ(words(383, 400, {}), words(383, 400, {{"scale", "1"}}));
  EXPECT_EQ(words(64, 41, {{"scale", "1"}}), kSsimSums * 31);
  EXPECT_EQ(words(64, 41, {{"scale", "2"}}), kSsimSums * (20 + 1 - 10));
}

/// The scores of a picture against itself or another one.
std::vector<double> Scores(const PictureFormat& format, const OptionTexts& texts, bool identical) {
  const Picture r = FilmPicture(format, 0), d = FilmPicture(format, 0, !identical);
  return TestMetric(kFloatSsimMetric, texts, format).Values(r, d);
}

TEST(FloatSsim, IdenticalPicturesAndDecibels) {
  const PictureFormat format = {480, 270, 8, PixelFormat::k400};
  EXPECT_EQ(Scores(format, {}, true)[0], 1);
  EXPECT_EQ(Scores(format, {{"enable_db", "true"}}, true)[0], kInfinity);
  // ceil(10 log10(255^2 / (0.5 / (480 * 270))))
  EXPECT_EQ(Scores(format, {{"enable_db", "true"}, {"clip_db", "true"}}, true)[0], 103);
  const double score = Scores(format, {}, false)[0];
  EXPECT_NEAR(Scores(format, {{"enable_db", "true"}, {"clip_db", "true"}}, false)[0], -10 * std::log10(1 - score),
              1e-12);
}

TEST(FloatSsim, NoWindowFits) {
  EXPECT_EQ(Scores({9, 9, 8}, {}, false)[0], 0);
  EXPECT_EQ(Scores({1, 1, 8}, {{"scale", "10"}}, false)[0], 0);
  EXPECT_EQ(Scores({40, 9, 8}, {}, false)[0], 0);
  EXPECT_TRUE(std::isnan(Scores({10, 40, 8}, {}, false)[0]));
  EXPECT_NE(Scores({11, 11, 8}, {}, false)[0], 0);
}

TEST(FloatSsim, NoSplitIntoBandsChangesABit) {
  const auto expect = [](const Metric& metric, const OptionTexts& texts, const PictureFormat& format) {
    ExpectNoSplitShows({metric, texts, format}, {FilmPicture(format, 0)}, {FilmPicture(format, 0, true)}, {1, 9, 30});
  };
  for (const char* scale : {"1", "3"})
    expect(kFloatSsimMetric, {{"scale", scale}, {"enable_lcs", "true"}}, {211, 143, 10});
  expect(kFloatMsSsimMetric, {{"enable_lcs", "true"}}, {301, 203, 8});
}

// --- Five scales

TEST(FloatMsSsim, KnownAnswers) {
  const auto score = [](int bit_depth) {
    return TestMetric(kFloatMsSsimMetric, {}, {400, 360, bit_depth})
        .Values(KnownPicture(bit_depth, 0, false), KnownPicture(bit_depth, 0, true))[0];
  };
  EXPECT_EQ(score(8), 0.9970423279906808);
  EXPECT_EQ(score(10), 0.9970466556862382);
}

TEST(FloatMsSsim, IdenticalPicturesAndDecibels) {
  const PictureFormat format = {203, 176, 8, PixelFormat::k400};
  const Picture film = FilmPicture(format, 0);
  const auto score = [&](const OptionTexts& texts) {
    return TestMetric(kFloatMsSsimMetric, texts, format).Values(film, film)[0];
  };
  EXPECT_EQ(score({}), 1);
  EXPECT_EQ(score({{"enable_db", "true"}}), kInfinity);
  // ceil(10 log10(255^2 / (0.5 / (203 * 176))))
  EXPECT_EQ(score({{"enable_db", "true"}, {"clip_db", "true"}}), 97);
}

TEST(FloatMsSsim, TermsMakeTheScore) {
  const PictureFormat format = {217, 191, 10};
  const Picture r = FilmPicture(format, 0), d = FilmPicture(format, 0, true);
  const auto plain = TestMetric(kFloatMsSsimMetric, {}, format).Values(r, d);
  const auto terms = TestMetric(kFloatMsSsimMetric, {{"enable_lcs", "true"}}, format).Values(r, d);
  ASSERT_EQ(terms.size(), 16u);
  EXPECT_EQ(terms[0], plain[0]);
  for (const double value : plain | std::views::drop(1)) EXPECT_TRUE(std::isnan(value)) << "not asked for";
  const double exponents[] = {.0448, .2856, .3001, .2363, .1333};
  double product = std::pow(terms[5], .1333);
  for (int k = 0; k < 5; ++k) product *= std::pow(terms[6 + k] * terms[11 + k], exponents[k]);
  EXPECT_NEAR(product, terms[0], 1e-7);
}

TEST(FloatMsSsim, SmallerPicturesAreRefused) {
  for (const auto& [width, height] : {std::pair{175, 400}, {400, 175}})
    EXPECT_THAT(RefusalOf(kFloatMsSsimMetric, {}, {width, height, 8}), testing::HasSubstr("at least 176x176"));
  EXPECT_EQ(RefusalOf(kFloatMsSsimMetric, {}, {176, 176, 8}), "");
}

}  // namespace
}  // namespace acutance
