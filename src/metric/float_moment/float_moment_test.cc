#include "metric/float_moment/float_moment.h"

#include <gtest/gtest.h>

#include <random>

#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

constexpr int kDepths[] = {8, 10, 12, 16};

TEST(SumMoments, EveryWidthAndAlignment) {
  std::mt19937 random(1);
  for (const int depth : kDepths)
    for (int width = 1; width <= 70; ++width) {
      const TestPlane plane(
          width, 3, depth, [&](int, int) { return random() & ((1 << depth) - 1); }, width % 7, 1);
      const MomentSums expected = SumMomentsRef(plane.plane(), depth, {0, 3});
      ForEachTarget([&] { EXPECT_EQ(SumMoments(plane.plane(), depth, {0, 3}), expected) << width << ", " << depth; });
    }
}

TEST(SumMoments, TheWidestWhiteRow) {
  for (const int depth : kDepths) {
    const int64_t max = (1 << depth) - 1;
    const TestPlane white(kMaxDimension, 1, depth, [&](int, int) { return max; });
    const int64_t square = depth == 16 ? 4294836224 : max * max;  // the float nearest to 65535^2
    const MomentSums expected = {kMaxDimension * max, kMaxDimension * square};
    ForEachTarget([&] { EXPECT_EQ(SumMoments(white.plane(), depth, {0, 1}), expected) << depth; });
  }
}

Picture RampPicture(int bit_depth, int slope) {
  const PictureFormat format = {64, 5, bit_depth, PixelFormat::k420};
  return MakeTestPicture(format, [=](int p, int x, int) { return p == 0 ? slope * x : 1; });
}

TEST(FloatMoment, KnownAnswers) {
  // sum 0..63 = 2016 and sum of their squares 85344, over 64 samples
  const std::vector<double> ramp = {31.5, 63, 1333.5, 5334};
  EXPECT_EQ(TestMetric(kFloatMomentMetric, {}, {64, 5, 8}).Values(RampPicture(8, 1), RampPicture(8, 2)), ramp);
  EXPECT_EQ(TestMetric(kFloatMomentMetric, {}, {64, 5, 10}).Values(RampPicture(10, 4), RampPicture(10, 8)), ramp);
  EXPECT_EQ(TestMetric(kFloatMomentMetric, {}, {64, 5, 16}).Values(RampPicture(16, 256), RampPicture(16, 512)), ramp);
}

TEST(FloatMoment, BandsAddUp) {
  std::mt19937 random(2);
  const PictureFormat format = {37, 23, 12, PixelFormat::k400};
  const Picture a = FilmPicture(format, 0), b = FilmPicture(format, 0, true);
  const TestMetric metric(kFloatMomentMetric, {}, format);
  const std::vector<int64_t> whole = metric.Sums(a, b);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(metric.Sums(a, b, RandomBands(random, 7)), whole);
}

}  // namespace
}  // namespace acutance
