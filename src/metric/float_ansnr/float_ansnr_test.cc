#include "metric/float_ansnr/float_ansnr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "metric/blocks/float_samples.h"
#include "metric/blocks/words.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using float_ansnr::ansnr_index;
using testing::HasSubstr;

struct Samples {
  const Plane& plane;
  int bit_depth;

  float At(int column, int row) const {
    return FloatSample(plane, bit_depth, ansnr_index(column, plane.width), ansnr_index(row, plane.height));
  }
};

float SmoothRow(const Samples& p, int x, int y) {
  return float_ansnr::ansnr_smooth(p.At(x - 1, y), p.At(x, y), p.At(x + 1, y));
}

float Smooth(const Samples& p, int x, int y) {
  return float_ansnr::ansnr_smooth(SmoothRow(p, x, y - 1), SmoothRow(p, x, y), SmoothRow(p, x, y + 1));
}

/// Row `k` of the 5x5 filter.
float FilterRow(const Samples& p, int k, int x, int y) {
  const float* taps = float_ansnr::kAnsnrTaps + 3 * (k < 3 ? k : 4 - k);
  return float_ansnr::ansnr_filter_row(taps[0], taps[1], taps[2], p.At(x - 2, y), p.At(x - 1, y), p.At(x, y),
                                       p.At(x + 1, y), p.At(x + 2, y));
}

float Filter(const Samples& p, int x, int y) {
  return float_ansnr::ansnr_filter_rows(FilterRow(p, 0, x, y - 2), FilterRow(p, 1, x, y - 1), FilterRow(p, 2, x, y),
                                        FilterRow(p, 3, x, y + 1), FilterRow(p, 4, x, y + 2));
}

/// AnsnrRowSums in plain loops.
void AnsnrRowSumsRef(const Plane& reference, const Plane& distorted, int bit_depth, RowBand band, int64_t* words) {
  const Samples r = {reference, bit_depth}, d = {distorted, bit_depth};
  for (int y = band.begin; y < band.end; ++y) {
    float signal = 0, noise = 0;
    for (int x = 0; x < reference.width; ++x) {
      const float smooth = Smooth(r, x, y);
      const float error = smooth - Filter(d, x, y);
      signal += smooth * smooth;
      noise += error * error;
    }
    words[kAnsnrWords * y] = WordFromFloat(signal);
    words[kAnsnrWords * y + 1] = WordFromFloat(noise);
  }
}

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
