#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <ranges>

#include "metric/ssim/ssim.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"

namespace acutance {
namespace {

using testing::HasSubstr;

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
  EXPECT_EQ(score({{"enable_db", "true"}}), std::numeric_limits<double>::infinity());
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

TEST(FloatMsSsim, BandsDoNotShow) {
  std::mt19937 random(3);
  const PictureFormat format = {301, 203, 8};
  const Picture r = FilmPicture(format, 0), d = FilmPicture(format, 0, true);
  const TestMetric metric(kFloatMsSsimMetric, {{"enable_lcs", "true"}}, format);
  const std::vector<double> whole = metric.Values(r, d);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(metric.Run({r}, {d}, RandomBands(random, 30)).values, whole);
}

TEST(FloatMsSsim, SmallerPicturesAreRefused) {
  EXPECT_THAT(RefusalOf(kFloatMsSsimMetric, {}, {175, 400, 8}), HasSubstr("at least 176x176"));
  EXPECT_THAT(RefusalOf(kFloatMsSsimMetric, {}, {400, 175, 8}), HasSubstr("at least 176x176"));
  EXPECT_EQ(RefusalOf(kFloatMsSsimMetric, {}, {176, 176, 8}), "");
}

}  // namespace
}  // namespace acutance
