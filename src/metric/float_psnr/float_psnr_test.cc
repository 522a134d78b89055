#include "metric/float_psnr/float_psnr.h"

#include <gtest/gtest.h>

#include <random>

#include "math/exact_math.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

constexpr int kDepths[] = {8, 10, 12, 16};

TEST(FloatSquaredError, EveryWidthAndAlignment) {
  std::mt19937 random(1);
  for (const int depth : kDepths)
    for (int width = 1; width <= 70; ++width) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(width, 3, depth, noise, width % 7, 1), b(width, 3, depth, noise, width % 5, 2);
      const int64_t expected = FloatSquaredErrorRef(a.plane(), b.plane(), depth, {0, 3});
      ForEachTarget([&] {
        EXPECT_EQ(FloatSquaredError(a.plane(), b.plane(), depth, {0, 3}), expected) << width << ", " << depth;
        EXPECT_EQ(FloatSquaredError(b.plane(), a.plane(), depth, {0, 3}), expected) << width << ", " << depth;
        EXPECT_EQ(FloatSquaredError(a.plane(), a.plane(), depth, {0, 3}), 0);
      });
    }
}

TEST(FloatSquaredError, TheWidestRowOfTheLargestErrors) {
  for (const int depth : kDepths) {
    const int max = (1 << depth) - 1;
    const TestPlane white(kMaxDimension, 1, depth, [&](int, int) { return max; });
    const TestPlane black(kMaxDimension, 1, depth, [](int, int) { return 0; });
    const int64_t square = depth == 16 ? 4294836224 : int64_t{max} * max;  // the float nearest to 65535^2
    ForEachTarget([&] {
      EXPECT_EQ(FloatSquaredError(white.plane(), black.plane(), depth, {0, 1}), kMaxDimension * square) << depth;
    });
  }
}

TEST(FloatSquaredError, BandsAddUp) {
  std::mt19937 random(2);
  const auto noise = [&](int, int) { return random() & 1023; };
  const TestPlane a(75, 23, 10, noise), b(75, 23, 10, noise);
  const int64_t whole = FloatSquaredErrorRef(a.plane(), b.plane(), 10, {0, 23});
  for (const int step : {1, 2, 5, 22}) {
    int64_t sum = 0;
    for (int y = 0; y < 23; y += step) sum += FloatSquaredError(a.plane(), b.plane(), 10, {y, std::min(y + step, 23)});
    EXPECT_EQ(sum, whole) << "bands of " << step << " rows";
  }
}

/// The score of two flat pictures.
double FlatScore(int bit_depth, int reference, int distorted) {
  const PictureFormat format = {33, 17, bit_depth, PixelFormat::k400};
  const auto flat = [&](int value) { return MakeTestPicture(format, [=](int, int, int) { return value; }); };
  return TestMetric(kFloatPsnrMetric, {}, format).Values(flat(reference), flat(distorted))[0];
}

TEST(FloatPsnr, IdenticalPicturesReachTheLimit) {
  EXPECT_EQ(FlatScore(8, 16, 16), 60);
  EXPECT_EQ(FlatScore(10, 0, 0), 72);
  EXPECT_EQ(FlatScore(12, 4095, 4095), 84);
  EXPECT_EQ(FlatScore(16, 9, 9), 108);
}

TEST(FloatPsnr, KnownAnswers) {
  EXPECT_EQ(FlatScore(8, 0, 255), 0);
  EXPECT_EQ(FlatScore(8, 128, 16), 7.146443155275471);  // libvmaf's for 128 against 16
  EXPECT_EQ(FlatScore(10, 4, 0), 10 * Log10(255.75 * 255.75));
  EXPECT_EQ(FlatScore(16, 65535, 65279), 10 * Log10(255.99609375 * 255.99609375));
}

TEST(FloatPsnr, ASquareOf16BitsIsRoundedToAFloat) {
  // 65535^2 = 4294836225, the float is 4294836224: one part in 2^32 of the noise
  EXPECT_EQ(FlatScore(16, 65535, 0), 10 * Log10(255.99609375 * 255.99609375 / std::ldexp(4294836224.0, -16)));
}

}  // namespace
}  // namespace acutance
