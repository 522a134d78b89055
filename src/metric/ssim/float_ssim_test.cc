#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "metric/ssim/ssim.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
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

TEST(FloatSsim, BandsDoNotShow) {
  std::mt19937 random(3);
  for (const char* scale : {"1", "3"}) {
    const PictureFormat format = {211, 143, 10};
    const Picture r = FilmPicture(format, 0), d = FilmPicture(format, 0, true);
    const TestMetric metric(kFloatSsimMetric, {{"scale", scale}, {"enable_lcs", "true"}}, format);
    const std::vector<double> whole = metric.Values(r, d);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(metric.Run({r}, {d}, RandomBands(random, 30)).values, whole);
  }
}

}  // namespace
}  // namespace acutance
