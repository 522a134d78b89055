// Row sums with SIMD against the plain loops, and the halving tables against their formula.
#include <gtest/gtest.h>

#include <random>

#include "metric/float_motion/float_motion.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

constexpr int kDepths[] = {8, 10, 12, 16};
constexpr int kFilterSizes[] = {1, 3, 5};

/// The filters as the definition has them, none padded to five taps.
std::span<const float> RefTaps(int filter_size) {
  static constexpr float kOne[] = {0, 0, 1, 0, 0};
  static constexpr float kThree[] = {0.166378498f, 0.667243004f, 0.166378498f};
  static constexpr float kFive[] = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f, 0.054488685f};
  if (filter_size == 1) return kOne;
  if (filter_size == 3) return kThree;
  return kFive;
}

struct Case {
  const TestPlane& earlier;
  const TestPlane& current;
  int bit_depth;
  int filter_size = 5;
  bool half = false;

  int width() const { return earlier.plane().width; }
  int height() const { return earlier.plane().height; }
  int rows() const { return half ? HalfLength(height()) : height(); }
};

std::vector<int64_t> RowSumsRef(const Case& c) {
  std::vector<int64_t> sums(c.rows());
  FloatMotionRowSumsRef({c.earlier.plane(), c.current.plane(), c.bit_depth, RefTaps(c.filter_size), c.half},
                        {0, c.rows()}, sums.data());
  return sums;
}

std::vector<int64_t> RowSums(const Case& c, int band_rows) {
  static const auto tile = std::make_unique<FloatMotionTile>();  // reused, dirty, as the engine does
  const HalfTables tables = MakeHalfTables(c.width(), c.height());
  const FloatMotionInput input = {c.earlier.plane(), c.current.plane(), c.bit_depth, MakeFloatMotionTaps(c.filter_size),
                                  c.half ? &tables : nullptr};
  std::vector<int64_t> sums(c.rows(), -1);
  for (int y = 0; y < c.rows(); y += band_rows)
    FloatMotionRowSums(input, {y, std::min(y + band_rows, c.rows())}, *tile, sums.data());
  return sums;
}

void ExpectEqualToRef(const Case& c) {
  const std::vector<int64_t> expected = RowSumsRef(c);
  ForEachTarget([&] {
    EXPECT_EQ(RowSums(c, c.rows()), expected) << c.width() << "x" << c.height() << " " << c.bit_depth << " bit, filter "
                                              << c.filter_size << (c.half ? ", half" : "");
  });
}

TEST(FloatMotionRowSums, NoiseOfManySizes) {
  std::mt19937 random(1);
  const std::pair<int, int> sizes[] = {{3, 3},   {3, 4},   {4, 3},   {5, 7},   {7, 8},   {8, 33},  {15, 5},
                                       {16, 6},  {17, 65}, {31, 5},  {33, 12}, {61, 6},  {62, 7},  {63, 4},
                                       {64, 32}, {65, 10}, {77, 5},  {78, 6},  {79, 5},  {94, 3},  {125, 4},
                                       {126, 9}, {141, 5}, {142, 5}, {143, 4}, {3, 140}, {431, 9}, {640, 34}};
  for (const int depth : kDepths)
    for (const auto& [width, height] : sizes) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(width, height, depth, noise), b(width, height, depth, noise);
      for (const bool half : {false, true}) ExpectEqualToRef({a, b, depth, 5, half});
    }
}

TEST(FloatMotionRowSums, AllFilters) {
  std::mt19937 random(2);
  for (const int depth : kDepths)
    for (const int filter_size : kFilterSizes) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(75, 37, depth, noise), b(75, 37, depth, noise);
      for (const bool half : {false, true}) ExpectEqualToRef({a, b, depth, filter_size, half});
    }
}

TEST(FloatMotionRowSums, ExtremesAndSmoothPictures) {
  using Pattern = int (*)(int x, int y, int max);
  const Pattern patterns[] = {
      [](int, int, int) { return 0; },
      [](int, int, int max) { return max; },
      [](int, int, int max) { return (max + 1) / 2; },
      [](int x, int y, int max) { return (x + y) % 2 * max; },
      [](int x, int, int max) { return x / 3 % 2 * max; },
      [](int, int y, int max) { return y / 3 % 2 * max; },
      [](int x, int y, int max) { return (5 * x + 3 * y) * (max / 700 + 1) % (max + 1); },
  };
  for (const int depth : kDepths)
    for (const Pattern one : patterns)
      for (const Pattern other : patterns) {
        const int max = (1 << depth) - 1;
        const TestPlane a(67, 21, depth, [&](int x, int y) { return one(x, y, max); });
        const TestPlane b(67, 21, depth, [&](int x, int y) { return other(x + 1, y + 1, max); });
        for (const bool half : {false, true}) ExpectEqualToRef({a, b, depth, 5, half});
      }
}

TEST(FloatMotionRowSums, NoBandChangesABit) {
  std::mt19937 random(3);
  for (const int depth : {8, 10}) {
    const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
    const TestPlane a(90, 75, depth, noise), b(90, 75, depth, noise);
    for (const bool half : {false, true}) {
      const Case c = {a, b, depth, 5, half};
      const std::vector<int64_t> expected = RowSumsRef(c);
      ForEachTarget([&] {
        for (const int rows : {1, 2, 3, 7, 16, 31, 33}) EXPECT_EQ(RowSums(c, rows), expected) << rows;
      });
    }
  }
}

TEST(FloatMotionHalf, ReadsInsideThePictureAndMeetsEveryEnd) {
  for (int n = kFloatMotionMinSide; n <= 4500; ++n) {
    const int half = HalfLength(n);
    EXPECT_EQ(half, static_cast<int>(n * 0.5 + 0.5));
    for (int i = 0; i < half; ++i) {
      const HalfSample sample = HalfSampleAt(i, n);
      ASSERT_GE(sample.first, 0) << i << " of " << n;
      ASSERT_LE(sample.first + 1, n - 1) << i << " of " << n;
      ASSERT_GE(sample.weight, 0.0f);
      ASSERT_LT(sample.weight, 1.0f);
      // Sixteen rows lie within 32 (float_motion_cpu.cc), and no two read the same first row.
      ASSERT_LE(sample.first - HalfSampleAt(std::max(i - 15, 0), n).first, 30) << i << " of " << n;
      ASSERT_TRUE(i == 0 || sample.first > HalfSampleAt(i - 1, n).first) << i << " of " << n;
    }
  }
  EXPECT_EQ(HalfSampleAt(0, 1920).weight, 0.5f);
  EXPECT_EQ(HalfSampleAt(959, 1920).first, 1918);
}

TEST(FloatMotionHalf, LargestSidesStayInside) {
  for (const int n : {8191, 16383, 32767, 32768}) {
    const HalfSample last = HalfSampleAt(HalfLength(n) - 1, n);
    EXPECT_EQ(last.first, n - 2) << n;
    EXPECT_GE(last.weight, 0.0f);
  }
}

}  // namespace
}  // namespace acutance
