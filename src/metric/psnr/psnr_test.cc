#include <gtest/gtest.h>

#include <random>

#include "metric/psnr/psnr_cpu.h"
#include "metric/psnr/psnr_ref.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

constexpr int kDepths[] = {8, 10, 12, 16};

TEST(SquaredError, NoiseOfManySizes) {
  std::mt19937 random(1);
  const std::pair<int, int> sizes[] = {{1, 1},   {1, 9},   {2, 3},   {7, 2},   {8, 2},   {9, 3},    {15, 2},
                                       {16, 2},  {17, 3},  {31, 2},  {33, 2},  {63, 2},  {64, 2},   {65, 3},
                                       {127, 2}, {128, 1}, {129, 2}, {480, 3}, {481, 4}, {1000, 3}, {4099, 2}};
  for (const int depth : kDepths)
    for (const auto& [width, height] : sizes) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(width, height, depth, noise), b(width, height, depth, noise);
      const int64_t expected = SquaredErrorRef(a.plane(), b.plane(), depth, {0, height});
      ForEachTarget([&] {
        EXPECT_EQ(SquaredError(a.plane(), b.plane(), depth, {0, height}), expected) << width << "x" << height;
        EXPECT_EQ(SquaredError(b.plane(), a.plane(), depth, {0, height}), expected) << width << "x" << height;
        EXPECT_EQ(SquaredError(a.plane(), a.plane(), depth, {0, height}), 0) << width << "x" << height;
      });
    }
}

TEST(SquaredError, RowsOfAnyAlignmentWidthAndPitch) {
  std::mt19937 random(3);
  for (const int depth : {8, 16})
    for (int width = 1; width <= 200; ++width)
      for (int lead = 0; lead < 64; ++lead) {
        const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
        const TestPlane a(width, 2, depth, noise, lead, lead / 3 % 4), b(width, 2, depth, noise, lead * 5 % 64, 1);
        const int64_t expected = SquaredErrorRef(a.plane(), b.plane(), depth, {0, 2});
        ForEachTarget([&] {
          ASSERT_EQ(SquaredError(a.plane(), b.plane(), depth, {0, 2}), expected)
              << "width " << width << ", row begins at " << lead << ", depth " << depth;
        });
      }
}

TEST(SquaredError, TheWidestRowOfTheLargestErrorsDoesNotOverflow) {
  for (const int depth : kDepths) {
    const int64_t max = (1 << depth) - 1;
    const TestPlane white(
        kMaxDimension, 2, depth, [&](int, int) { return max; }, 1);
    const TestPlane black(
        kMaxDimension, 2, depth, [](int, int) { return 0; }, 1);
    ForEachTarget([&] {
      EXPECT_EQ(SquaredError(white.plane(), black.plane(), depth, {0, 2}), 2 * kMaxDimension * max * max);
      EXPECT_EQ(SquaredError(black.plane(), white.plane(), depth, {0, 1}), kMaxDimension * max * max);
    });
  }
}

TEST(SquaredError, EachSampleCountsOnce) {
  constexpr int kWidth = 133;
  for (const int depth : kDepths) {
    const TestPlane black(kWidth, 1, depth, [](int, int) { return 0; });
    for (int at = 0; at < kWidth; ++at) {
      const TestPlane spark(kWidth, 1, depth, [&](int x, int) { return x == at ? 201 : 0; });
      ForEachTarget([&] { EXPECT_EQ(SquaredError(spark.plane(), black.plane(), depth, {0, 1}), 201 * 201) << at; });
    }
  }
}

TEST(SquaredError, BandsAddUp) {
  std::mt19937 random(2);
  for (const int depth : kDepths) {
    const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
    const TestPlane a(75, 23, depth, noise), b(75, 23, depth, noise);
    const int64_t whole = SquaredErrorRef(a.plane(), b.plane(), depth, {0, 23});
    for (const int step : {1, 2, 5, 22}) {
      int64_t sum = 0;
      for (int y = 0; y < 23; y += step) sum += SquaredError(a.plane(), b.plane(), depth, {y, std::min(y + step, 23)});
      EXPECT_EQ(sum, whole) << "bands of " << step << " rows";
    }
    EXPECT_EQ(SquaredError(a.plane(), b.plane(), depth, {7, 7}), 0);
  }
}

}  // namespace
}  // namespace acutance
