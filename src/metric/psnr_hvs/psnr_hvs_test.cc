#include "metric/psnr_hvs/psnr_hvs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "metric/testing/bands.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/spoiled_estimates.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

namespace by_floats {
#include "kernel/divide/float_via_float.kernel.h"
}  // namespace by_floats

using testing::HasSubstr;

constexpr int kDepths[] = {8, 10, 12};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- What stands for IEEE 754's division where a device does not promise it

void ExpectRoundedQuotient(float a, float b) {
  ASSERT_EQ(by_floats::divide_by_floats(a, b), a / b) << a << " / " << b;
  ASSERT_EQ(by_floats::divide_by_floats(-a, b), -a / b) << a << " / " << b;
}

TEST(ExactByFloats, RoundsCorrectly) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> size(-39, 40), any(-100, 100);
  for (int i = 0; i < 1000000; ++i) {
    const float a = std::exp2(size(random)), b = std::exp2(size(random));
    ExpectRoundedQuotient(a, b);
    ExpectRoundedQuotient(std::exp2(any(random)), std::exp2(any(random) / 8));
    // Quotients next to a power of two and next to the middle of two floats.
    ExpectRoundedQuotient(b * (1 + std::ldexp(static_cast<float>(random() % 64), -23)), b);
    const float digits = 1 + std::ldexp(static_cast<float>(random() % (1 << 12)), -12);
    ExpectRoundedQuotient(static_cast<float>(double{digits} * (1 + (2 * (random() % 4096) + 1) * 0x1p-13)), digits);
  }
  for (int i = 1; i < 2000; ++i)
    for (const float b : {1.0f, 3.0f, 7.0f, 1 + 0x1p-23f, 2 - 0x1p-23f}) {
      ExpectRoundedQuotient(static_cast<float>(i) * b, b);
      ExpectRoundedQuotient(static_cast<float>(i), b);
    }
  ExpectRoundedQuotient(0, 3);
  ExpectRoundedQuotient(0x1p-127f, 0x1p-100f);
}

// --- The SIMD implementation against plain loops

void ExpectEqualToRef(const TestPlane& a, const TestPlane& b, int bit_depth) {
  for (int row = 0; row < HvsBlocks(a.plane().height); ++row)
    for (const int plane : {0, 1, 2}) {
      std::vector<float> expected;
      HvsRowTermsRef(a.plane(), b.plane(), bit_depth, HvsTablesOf(plane), row, expected);
      ForEachTarget([&] {
        std::vector<float> terms = {1.0f};  // it appends
        HvsRowTerms(a.plane(), b.plane(), bit_depth, HvsTablesOf(plane), row, terms);
        ASSERT_EQ(terms.front(), 1.0f);
        terms.erase(terms.begin());
        EXPECT_EQ(terms, expected) << a.plane().width << " wide, " << bit_depth << " bit, row " << row;
      });
    }
}

TEST(HvsRowTerms, NoiseOfManyWidths) {
  std::mt19937 random(1);
  for (const int depth : kDepths)
    for (const int width : {8, 14, 15, 16, 22, 50, 57, 58, 63, 64, 65, 113, 114, 119, 120, 127, 225, 226, 300, 481}) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(width, 17, depth, noise), b(width, 17, depth, noise, 3);
      ExpectEqualToRef(a, b, depth);
    }
}

TEST(HvsRowTerms, SmallErrorsOnTexture) {
  std::mt19937 random(2);
  for (const int depth : kDepths)
    for (const int most : {1, 3, 9}) {
      const auto texture = [&](int x, int y) { return (x * 3 + y * 7 + (x / 5 % 3) * (y / 4 % 5) * 9) % 200 + 20; };
      const TestPlane a(201, 22, depth, texture);
      const TestPlane b(201, 22, depth, [&](int x, int y) { return texture(x, y) + random() % (most + 1); });
      ExpectEqualToRef(a, b, depth);
    }
}

// What the transform makes of black and white is its largest: 16 bits must hold it at 10 bits.
TEST(HvsRowTerms, ExtremesDoNotOverflow) {
  std::mt19937 random(3);
  for (const int depth : kDepths) {
    const int max = (1 << depth) - 1;
    const TestPlane white(64, 8, depth, [&](int, int) { return max; });
    const TestPlane black(64, 8, depth, [](int, int) { return 0; });
    ExpectEqualToRef(white, black, depth);
    ExpectEqualToRef(black, white, depth);
    for (int pattern = 0; pattern < 64; ++pattern) {  // the signs of each coefficient
      const auto wave = [&](int x, int y) {
        const double pi = std::acos(-1.0);
        const double v =
            std::cos(pi * (2 * (x % 7) + 1) * (pattern % 8) / 16) * std::cos(pi * (2 * y + 1) * (pattern / 8) / 16);
        return v < 0 ? 0 : max;
      };
      const TestPlane a(64, 8, depth, wave), b(64, 8, depth, [&](int x, int y) { return max - wave(x, y); });
      ExpectEqualToRef(a, b, depth);
    }
    const auto spots = [&](int, int) { return random() % 2 == 0 ? 0 : max; };
    const TestPlane a(230, 22, depth, spots), b(230, 22, depth, spots);
    ExpectEqualToRef(a, b, depth);
  }
}

TEST(HvsRowTerms, EqualPicturesHaveNone) {
  const auto fill = [](int x, int y) { return (x * 5 + y * 3) & 255; };
  const TestPlane a(129, 15, 8, fill), b(129, 15, 8, fill);
  ForEachTarget([&] {
    std::vector<float> terms;
    HvsRowTerms(a.plane(), b.plane(), 8, HvsTablesOf(0), 0, terms);
    EXPECT_TRUE(terms.empty());
  });
}

TEST(HvsTables, AreSymmetric) {
  for (const int plane : {0, 1, 2})
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        EXPECT_EQ(HvsTablesOf(plane).csf[8 * i + j], HvsTablesOf(plane).csf[8 * j + i]);
        EXPECT_GT(HvsTablesOf(plane).mask[8 * i + j], 0.0f);
      }
  EXPECT_EQ(HvsTablesOf(0).csf[7], 0.3265091542f);
  EXPECT_EQ(HvsTablesOf(2).csf[63], 0.285345396658f);
}

// --- The metric as the engine sees it

std::vector<double> Scores(const PictureFormat& format, const Picture& reference, const Picture& distorted) {
  return TestMetric(kPsnrHvsMetric, {}, format).Values(reference, distorted);
}

TEST(PsnrHvs, KnownAnswers) {
  EXPECT_EQ(Scores({400, 360, 8}, KnownPicture(8, 0, false), KnownPicture(8, 0, true)),
            (std::vector{48.181036048366764, 51.2377958258203, 51.73578447761657, 48.669717426928045}));
  EXPECT_EQ(Scores({400, 360, 10}, KnownPicture(10, 0, false), KnownPicture(10, 0, true)),
            (std::vector{50.50591774878231, 53.80038645396943, 53.97185398293268, 51.00298392187951}));
}

TEST(PsnrHvs, NoSplitIntoBandsChangesABit) {
  for (const PixelFormat chroma : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444}) {
    const PictureFormat format = {121, 75, 10, chroma};
    ExpectNoSplitShows({kPsnrHvsMetric, {}, format}, {FilmPicture(format, 0)}, {FilmPicture(format, 0, true)},
                       {1, 2, 5});
  }
}

TEST(PsnrHvs, IdenticalPicturesAreInfinite) {
  const PictureFormat format = {64, 48, 8};
  EXPECT_EQ(Scores(format, FilmPicture(format, 0), FilmPicture(format, 0)), std::vector<double>(4, kInfinity));
}

// Black against white, in luma alone: the mean's error of 8 * 255 in each block.
TEST(PsnrHvs, FlatPictures) {
  const PictureFormat format = {29, 22, 8};
  const Picture black = MakeTestPicture(format, [](int, int, int) { return 0; });
  const Picture white = MakeTestPicture(format, [](int p, int, int) { return p == 0 ? 255 : 0; });
  const std::vector<double> scores = Scores(format, black, white);
  const double csf = 1.6193873005, error = csf * csf;  // 64 samples share the square of 8 * 255
  EXPECT_NEAR(scores[0], -10 * std::log10(error), 1e-2);
  EXPECT_EQ(scores[1], kInfinity);
  EXPECT_EQ(scores[2], kInfinity);
  EXPECT_NEAR(scores[3], -10 * std::log10(0.8 * error), 1e-2);
}

// libvmaf's: a plane that holds no block of 8x8 has no score, and the sum has none.
TEST(PsnrHvs, PlanesWithoutBlocksAreNotANumber) {
  for (const PictureFormat& format : {PictureFormat{8, 8, 8}, {15, 40, 8}, {40, 15, 8}}) {
    const std::vector<double> scores = Scores(format, FilmPicture(format, 0), FilmPicture(format, 0, true));
    EXPECT_TRUE(std::isfinite(scores[0]));
    for (const int i : {1, 2, 3}) EXPECT_TRUE(std::isnan(scores[i])) << i;
  }
  const PictureFormat format = {8, 8, 8, PixelFormat::k444};
  for (const double score : Scores(format, FilmPicture(format, 0), FilmPicture(format, 0, true)))
    EXPECT_TRUE(std::isfinite(score));
}

TEST(PsnrHvs, RefusesWhatItCannotScore) {
  EXPECT_THAT(RefusalOf(kPsnrHvsMetric, {}, {64, 48, 8, PixelFormat::k400}), HasSubstr("chroma"));
  EXPECT_THAT(RefusalOf(kPsnrHvsMetric, {}, {64, 48, 16}), HasSubstr("at most 12 bits"));
  EXPECT_THAT(RefusalOf(kPsnrHvsMetric, {}, {7, 48, 8}), HasSubstr("8x8"));
  EXPECT_EQ(RefusalOf(kPsnrHvsMetric, {}, {64, 48, 12}), "");
}

}  // namespace
}  // namespace acutance
