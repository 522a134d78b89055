#include "metric/float_ansnr/float_ansnr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "metric/blocks/words.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using testing::HasSubstr;

constexpr int kDepths[] = {8, 10, 12, 16};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Words = std::vector<int64_t>;

Words RefWords(const TestPlane& reference, const TestPlane& distorted, int depth) {
  const int height = reference.plane().height;
  Words words(kAnsnrWords * height);
  AnsnrRowSumsRef(reference.plane(), distorted.plane(), depth, {0, height}, words.data());
  return words;
}

void ExpectAsRef(const TestPlane& reference, const TestPlane& distorted, int depth) {
  const int width = reference.plane().width, height = reference.plane().height;
  const Words expected = RefWords(reference, distorted, depth);
  AnsnrRows rows(width);
  ForEachTarget([&] {
    for (const int step : {1, 3, 8, 11, height}) {
      Words words(expected.size(), -1);
      for (int y = 0; y < height; y += step)
        AnsnrRowSums(reference.plane(), distorted.plane(), depth, {y, std::min(y + step, height)}, rows, words.data());
      EXPECT_EQ(words, expected) << width << "x" << height << ", " << depth << " bit, bands of " << step;
    }
  });
}

TEST(AnsnrRowSums, NoiseOfManySizes) {
  std::mt19937 random(1);
  const std::pair<int, int> sizes[] = {{3, 3},  {4, 3},  {3, 7},   {5, 5},   {7, 9},   {15, 4},
                                       {16, 8}, {17, 9}, {31, 17}, {33, 12}, {64, 20}, {129, 33}};
  for (const int depth : kDepths)
    for (const auto& [width, height] : sizes) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(width, height, depth, noise, 1, 1), b(width, height, depth, noise);
      ExpectAsRef(a, b, depth);
      ExpectAsRef(a, a, depth);
    }
}

TEST(AnsnrRowSums, ExtremeSamples) {
  std::mt19937 random(2);
  for (const int depth : kDepths) {
    const int max = (1 << depth) - 1;
    const auto sparks = [&](int, int) { return random() % 2 * max; };
    const TestPlane a(67, 21, depth, sparks), b(67, 21, depth, sparks);
    const TestPlane white(67, 21, depth, [&](int, int) { return max; });
    ExpectAsRef(a, b, depth);
    ExpectAsRef(white, a, depth);
    ExpectAsRef(white, white, depth);
  }
}

TEST(FloatAnsnr, KnownAnswers) {
  const auto scores = [](int depth) {
    return TestMetric(kFloatAnsnrMetric, {}, {400, 360, depth})
        .Values(KnownPicture(depth, 0, false), KnownPicture(depth, 0, true));
  };
  EXPECT_EQ(scores(8), (std::vector<double>{32.023615494269826, 46.73294268888053}));
  EXPECT_EQ(scores(10), (std::vector<double>{32.00083448303325, 46.756452264777536}));
}

/// Both scores of flat 8-bit pictures.
std::vector<double> FlatScores(int reference, int distorted) {
  const PictureFormat format = {320, 240, 8, PixelFormat::k400};
  const auto flat = [&](int value) { return MakeTestPicture(format, [=](int, int, int) { return value; }); };
  return TestMetric(kFloatAnsnrMetric, {}, format).Values(flat(reference), flat(distorted));
}

TEST(FloatAnsnr, FlatPictures) {
  EXPECT_EQ(FlatScores(128, 128), (std::vector<double>{60, 60})) << "no noise";
  EXPECT_EQ(FlatScores(128, 16), (std::vector<double>{-kInfinity, 7.146443155275471})) << "no signal: libvmaf's scores";
}

TEST(FloatAnsnr, BandsAndThreadsDoNotShow) {
  std::mt19937 random(3);
  const PictureFormat format = {61, 43, 10, PixelFormat::k420};
  const Picture a = FilmPicture(format, 0), b = FilmPicture(format, 0, true);
  const TestMetric metric(kFloatAnsnrMetric, {}, format);
  const std::vector<double> whole = metric.Values(a, b);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(metric.Run({a}, {b}, RandomBands(random, 12)).values, whole);
}

TEST(FloatAnsnr, SmallerPicturesAreRefused) {
  EXPECT_THAT(RefusalOf(kFloatAnsnrMetric, {}, {2, 8, 8}), HasSubstr("at least 3x3"));
  EXPECT_THAT(RefusalOf(kFloatAnsnrMetric, {}, {8, 2, 8}), HasSubstr("at least 3x3"));
  EXPECT_EQ(RefusalOf(kFloatAnsnrMetric, {}, {3, 3, 8}), "");
}

}  // namespace
}  // namespace acutance
