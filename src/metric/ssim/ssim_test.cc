// The SIMD implementation against the plain loops.
#include "metric/ssim/ssim.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "metric/testing/pictures.h"
#include "metric/testing/spoiled_estimates.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

namespace by_doubles {
#include "kernel/divide/float_via_double.kernel.h"
}  // namespace by_doubles

constexpr int kDepths[] = {8, 10, 12, 16};
constexpr std::pair<int, int> kSizes[] = {{11, 11}, {12, 13}, {17, 11}, {18, 20}, {25, 31},  {26, 27},
                                          {33, 12}, {73, 15}, {74, 28}, {75, 45}, {138, 19}, {203, 33}};

using Words = std::vector<int64_t>;

/// What a test fills its pictures with.
using Fill = std::function<int(int x, int y)>;

void ExpectSumsAsRef(const SsimPlanes& planes) {
  const int width = planes.reference.width, rows = planes.reference.height - kSsimLoss;
  const auto workspace = MakeSsimRows(width);
  for (const bool all : {true, false}) {
    Words expected(kSsimSums * rows);
    SumSsimRowsRef(planes, {0, rows}, all, expected.data());
    ForEachTarget([&] {
      for (const int step : {1, 7, 16, rows}) {
        Words words(expected.size(), -1);
        for (int y = 0; y < rows; y += step)
          SumSsimRows(planes, {y, std::min(y + step, rows)}, all, *workspace, words.data());
        EXPECT_EQ(words, expected) << width << "x" << planes.reference.height << ", " << planes.bit_depth
                                   << " bit, bands of " << step;
      }
    });
  }
}

void ExpectSumsAsRef(int width, int height, int depth, const Fill& reference, const Fill& distorted) {
  const TestPlane r(width, height, depth, reference, 1, 1), d(width, height, depth, distorted);
  ExpectSumsAsRef({r.plane(), d.plane(), depth});
}

// From 8 of 256 on, products are shared.
TEST(SumSsimRows, NoiseOfManySizes) {
  std::mt19937 random(1);
  for (const int depth : kDepths)
    for (const int least : {0, 8 << (depth - 8)}) {
      const int max = (1 << depth) - 1;
      const Fill noise = [&](int, int) { return least + static_cast<int>(random() % (max - least + 1)); };
      const Fill extremes = [&](int, int) { return random() % 2 ? max : least; };
      for (const auto& [width, height] : kSizes) {
        ExpectSumsAsRef(width, height, depth, noise, noise);
        ExpectSumsAsRef(width, height, depth, extremes, extremes);
      }
      const Fill flat = [&](int, int) { return least; };
      ExpectSumsAsRef(83, 29, depth, flat, flat);
      ExpectSumsAsRef(83, 29, depth, flat, noise);
    }
}

TEST(SumSsimRows, FlatAndIdenticalPictures) {
  for (const int depth : kDepths) {
    const int max = (1 << depth) - 1;
    const Fill black = [](int, int) { return 0; }, white = [&](int, int) { return max; };
    const Fill ramp = [&](int x, int y) { return (x + y) & max; };
    const Fill inverse = [&](int x, int y) { return max - ((x + y) & max); };
    ExpectSumsAsRef(83, 29, depth, white, black);
    ExpectSumsAsRef(83, 29, depth, ramp, ramp);
    ExpectSumsAsRef(83, 29, depth, ramp, inverse);
  }
}

TEST(SumSsimRows, DarkPartsOfBrightPictures) {
  std::mt19937 random(7);
  for (const int depth : kDepths) {
    const int unit = 1 << (depth - 8), max = (1 << depth) - 1;
    const auto noise_from = [&](int least) { return least + static_cast<int>(random() % (max - least + 1)); };
    const Fill bright = [&](int, int) { return noise_from(8 * unit); };
    const Fill one_dark = [&](int x, int y) { return x == 140 && y == 47 ? 8 * unit - 1 : noise_from(8 * unit); };
    const Fill dark_rows = [&](int, int y) { return y / 40 % 2 ? static_cast<int>(random() % (8 * unit)) : max - y; };
    const Fill dark_columns = [&](int x, int) { return x < 130 ? noise_from(0) : noise_from(16 * unit); };
    ExpectSumsAsRef(203, 130, depth, one_dark, bright);
    ExpectSumsAsRef(75, 170, depth, bright, dark_rows);
    ExpectSumsAsRef(283, 60, depth, dark_columns, bright);
  }
}

TEST(ExactByDoubles, RoundCorrectly) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<float> size(-30, 30);
  for (int i = 0; i < 1000000; ++i) {
    const float a = std::exp2(size(random)), b = std::exp2(size(random));
    const double wide = static_cast<double>(a) * std::bit_cast<double>(0x3ff0000000000000u | random() >> 12);
    ASSERT_EQ(by_doubles::divide_floats(a, b), a / b) << a << " / " << b;
    ASSERT_EQ(by_doubles::divide_floats(-a, b), -a / b) << a << " / " << b;
    ASSERT_EQ(by_doubles::divide_by_float(wide, b), wide / static_cast<double>(b)) << wide << " / " << b;
    ASSERT_EQ(by_doubles::root_of_float(a), std::sqrt(a)) << a;
  }
  // Quotients and roots that are exact, or next to the middle of two numbers.
  for (int i = 1; i < 2000; ++i)
    for (const float b : {3.0f, 7.0f, 1.0f + 0x1p-23f, 2.0f - 0x1p-23f}) {
      const float a = static_cast<float>(i) * b;
      ASSERT_EQ(by_doubles::divide_floats(a, b), a / b);
      ASSERT_EQ(by_doubles::divide_by_float(a, b), static_cast<double>(a) / b);
      ASSERT_EQ(by_doubles::root_of_float(b * b), std::sqrt(b * b));
      ASSERT_EQ(by_doubles::root_of_float(static_cast<float>(i * i)), static_cast<float>(i));
    }
  EXPECT_EQ(by_doubles::divide_floats(0, 3), 0);
  EXPECT_EQ(by_doubles::divide_by_float(0, 3), 0);
  EXPECT_EQ(by_doubles::root_of_float(0), 0);
}

/// A window's sum in two floats against the same in doubles, for values in [min, max).
void ExpectRoundedSums(float min, float max, float anchor) {
  std::mt19937 random(6);
  std::uniform_real_distribution<float> value(min, max);
  for (int i = 0; i < 200000; ++i) {
    ssim::SplitSum sum = {anchor, 0};
    double expected = 0;
    for (int k = 0; k < ssim::kWindow; ++k) {
      const float term = value(random) * ssim::kWindowTaps[k < 6 ? k : 10 - k];
      sum = ssim::split_add(sum, term);
      expected += static_cast<double>(term);
    }
    ASSERT_EQ(ssim::split_total(sum, anchor), static_cast<float>(expected));
  }
}

TEST(SplitSum, IsTheRoundedSum) {
  ExpectRoundedSums(0.25f, 256.0f, ssim::kMeanAnchor);
  ExpectRoundedSums(0.25f, 0.5f, ssim::kMeanAnchor);
  ExpectRoundedSums(20.0f, 30.0f, ssim::kMeanAnchor);
  ExpectRoundedSums(250.0f, 256.0f, ssim::kMeanAnchor);
  ExpectRoundedSums(62.0f, 65536.0f, ssim::kProductAnchor);
  ExpectRoundedSums(62.0f, 64.0f, ssim::kProductAnchor);
}

/// A plane of floats that no sample has.
PaddedPlane NoisePlane(std::mt19937& random, int width, int height, float least, float largest) {
  std::uniform_real_distribution<float> noise(least, largest);
  PaddedPlane plane(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) plane.Row(y)[x] = noise(random);
  return plane;
}

TEST(SumSsimRows, FloatsOfManySizes) {
  std::mt19937 random(8);
  const std::pair<float, float> ranges[] = {{-3, 260}, {8, 256}, {8, 8.01f}, {255, 256}, {8, 256.1f}};
  for (const auto& [width, height] : kSizes)
    for (const auto& [least, largest] : ranges) {
      const PaddedPlane r = NoisePlane(random, width, height, least, largest);
      const PaddedPlane d = NoisePlane(random, width, height, least, largest);
      ExpectSumsAsRef({r.view(), d.view(), kFloatDepth});
    }
}

void ExpectEqualPlanes(const PaddedPlane& a, const PaddedPlane& b, const std::string& what) {
  for (int y = 0; y < a.view().height; ++y)
    for (int x = 0; x < a.view().width; ++x)
      ASSERT_EQ(a.view().Row<float>(y)[x], b.view().Row<float>(y)[x]) << what << " at " << x << ", " << y;
}

TEST(ShrinkRows, NoiseOfManySizesAndFactors) {
  std::mt19937 random(4);
  for (const int depth : kDepths)
    for (const auto& [columns, lines] : {std::pair{11, 11}, {13, 12}, {26, 15}})
      for (int factor = 2; factor <= 10; ++factor)
        for (const int odd : {0, 1}) {
          const int width = factor * columns + odd, height = factor * lines + 1 - odd;
          const Fill noise = [&](int, int) { return random() & ((1 << depth) - 1); };
          const TestPlane plane(width, height, depth, noise, 1, 1);
          const int w = ShrunkLength(width, factor), h = ShrunkLength(height, factor);
          PaddedPlane expected(w, h);
          ShrinkRowsRef(plane.plane(), depth, factor, {0, h}, expected);
          const auto workspace = MakeSsimRows(width);
          ForEachTarget([&] {
            PaddedPlane shrunk(w, h);
            ShrinkRows(plane.plane(), depth, factor, {0, h / 3}, *workspace, shrunk);
            ShrinkRows(plane.plane(), depth, factor, {h / 3, h}, *workspace, shrunk);
            ExpectEqualPlanes(shrunk, expected, "factor " + std::to_string(factor));
          });
        }
}

void ExpectHalvesAsRef(const Plane& plane, int depth) {
  const int w = HalvedLength(plane.width), h = HalvedLength(plane.height);
  PaddedPlane expected(w, h);
  HalveRowsRef(plane, depth, {0, h}, expected);
  const auto workspace = MakeSsimRows(plane.width);
  ForEachTarget([&] {
    for (const int step : {1, 5, h}) {
      PaddedPlane halved(w, h);
      for (int y = 0; y < h; y += step) HalveRows(plane, depth, {y, std::min(y + step, h)}, *workspace, halved);
      ExpectEqualPlanes(halved, expected, std::to_string(plane.width) + " columns, depth " + std::to_string(depth));
    }
  });
}

// Bright samples are halved down the columns first, in parts of 64 rows and 128 columns.
TEST(HalveRows, NoiseOfManySizes) {
  std::mt19937 random(10);
  std::vector<std::pair<int, int>> sizes(std::begin(kSizes), std::end(kSizes));
  sizes.push_back({283, 141});
  for (const auto& [width, height] : sizes) {
    for (const int depth : kDepths)
      for (const int least : {0, 8 << (depth - 8)}) {
        const int max = (1 << depth) - 1;
        const Fill noise = [&](int, int) { return least + static_cast<int>(random() % (max - least + 1)); };
        const Fill extremes = [&](int, int) { return random() % 2 ? max : least; };
        ExpectHalvesAsRef(TestPlane(width, height, depth, noise, 1, 1).plane(), depth);
        ExpectHalvesAsRef(TestPlane(width, height, depth, extremes, 1, 1).plane(), depth);
      }
    for (const auto& [least, largest] : {std::pair{-3.0f, 260.0f}, {8.0f, 256.0f}})
      ExpectHalvesAsRef(NoisePlane(random, width, height, least, largest).view(), kFloatDepth);
  }
}

TEST(HalveRows, DarkPartsOfBrightPictures) {
  std::mt19937 random(11);
  for (const int depth : kDepths) {
    const int unit = 1 << (depth - 8), max = (1 << depth) - 1;
    const auto noise_from = [&](int least) { return least + static_cast<int>(random() % (max - least + 1)); };
    const Fill one_dark = [&](int x, int y) { return x == 260 && y == 137 ? 8 * unit - 1 : noise_from(8 * unit); };
    const Fill dark_rows = [&](int, int y) { return noise_from(y / 70 % 2 ? 0 : 16 * unit); };
    ExpectHalvesAsRef(TestPlane(283, 171, depth, one_dark, 1, 1).plane(), depth);
    ExpectHalvesAsRef(TestPlane(75, 290, depth, dark_rows, 1, 1).plane(), depth);
  }
}

}  // namespace
}  // namespace acutance
