#include "fingerprint/luma_information.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "fingerprint/information_rows.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

template <class Sample>
struct Luma {
  std::vector<Sample> samples;
  Plane plane;

  Luma(int width, int height, const std::function<unsigned(int, int)>& value)
      : samples(static_cast<size_t>(width) * static_cast<size_t>(height)) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) samples[static_cast<size_t>(y * width + x)] = static_cast<Sample>(value(x, y));
    plane = {reinterpret_cast<const std::byte*>(samples.data()),
             static_cast<ptrdiff_t>(width * static_cast<int>(sizeof(Sample))), width, height};
  }
};

/// P.910's definition in doubles, two passes for a deviation.
double Deviation(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean) / static_cast<double>(values.size());
  return std::sqrt(squares);
}

template <class Sample>
LumaInformation Slow(const Plane& luma, const Plane& before, double scale) {
  std::vector<double> gradients, differences;
  for (int y = 0; y < luma.height; ++y)
    for (int x = 0; x < luma.width; ++x) {
      differences.push_back(scale * (luma.Row<Sample>(y)[x] - before.Row<Sample>(y)[x]));
      if (x == 0 || y == 0 || x + 1 == luma.width || y + 1 == luma.height) continue;
      double across = 0, down = 0;
      for (int step = -1; step <= 1; ++step) {
        const int weight = 2 - std::abs(step);
        across += weight * (luma.Row<Sample>(y + step)[x + 1] - luma.Row<Sample>(y + step)[x - 1]);
        down += weight * (luma.Row<Sample>(y + 1)[x + step] - luma.Row<Sample>(y - 1)[x + step]);
      }
      gradients.push_back(scale * std::sqrt(across * across + down * down));
    }
  return {Deviation(gradients), Deviation(differences)};
}

template <class Sample>
void CompareWithDefinition(int bit_depth, bool full_range, double scale) {
  std::mt19937 random(static_cast<uint32_t>(bit_depth));
  const auto noise = [&](int, int) { return random() % (1U << bit_depth); };
  for (const auto& [width, height] : {std::pair(3, 3), std::pair(37, 21), std::pair(200, 9)}) {
    const Luma<Sample> before(width, height, noise), luma(width, height, noise);
    const LumaInformation slow = Slow<Sample>(luma.plane, before.plane, scale);
    const LumaInformation fast = LumaInformationOf(luma.plane, before.plane, bit_depth, full_range);
    EXPECT_NEAR(*fast.spatial, *slow.spatial, 0.001) << bit_depth << " bits, width " << width;
    EXPECT_NEAR(*fast.temporal, *slow.temporal, 1e-10) << bit_depth << " bits, width " << width;
  }
}

TEST(LumaInformation, IsThatOfTheDefinition) {
  CompareWithDefinition<uint8_t>(8, true, 1);
  CompareWithDefinition<uint8_t>(8, false, 255.0 / 219);
  CompareWithDefinition<uint16_t>(10, true, 255.0 / 1023);
  CompareWithDefinition<uint16_t>(10, false, 255.0 / (4 * 219));
  CompareWithDefinition<uint16_t>(12, false, 255.0 / (16 * 219));
  CompareWithDefinition<uint16_t>(16, true, 255.0 / 65535);
}

TEST(LumaInformation, OfEqualGradientsIsZero) {
  const Luma<uint8_t> ramp(40, 30, [](int x, int y) { return static_cast<unsigned>(2 * x + 3 * y); });
  const Luma<uint8_t> brighter(40, 30, [](int x, int y) { return static_cast<unsigned>(2 * x + 3 * y + 9); });
  EXPECT_EQ(LumaInformationOf(brighter.plane, ramp.plane, 8, true), (LumaInformation{0.0, 0.0}));
}

TEST(LumaInformation, OfAnEdgeIsKnown) {
  // Of six inner columns two have the gradient 4 * 100, and the others none.
  const Luma<uint8_t> edge(8, 5, [](int x, int) { return x < 4 ? 50U : 150U; });
  EXPECT_DOUBLE_EQ(*LumaInformationOf(edge.plane, {}, 8, true).spatial, 400 * std::sqrt(2.0) / 3);
}

TEST(LumaInformation, IsMissingWhereNothingIsThere) {
  const Luma<uint8_t> narrow(2, 9, [](int, int) { return 1U; });
  EXPECT_EQ(LumaInformationOf(narrow.plane, {}, 8, true), LumaInformation());
}

/// Of so wide a row that sums are above 32 bits.
template <class Sample>
void CompareRows(int width, unsigned most) {
  std::mt19937 random(static_cast<uint32_t>(width));
  const auto extreme = [&](int x, int) { return random() % 4 == 0 ? random() % (most + 1) : x / 2 % 2 * most; };
  const Luma<Sample> rows(width, 3, extreme);
  const Sample* const three[] = {rows.plane.template Row<Sample>(0), rows.plane.template Row<Sample>(1),
                                 rows.plane.template Row<Sample>(2)};
  const float scale = most == 255 ? 1024 : most == 65535 ? 4 : 256;
  RowMoments sobel, difference;
  for (int x = 0; x < width; ++x) {
    const int64_t step = int64_t{three[1][x]} - three[0][x];
    difference = {difference.sum + step, difference.squares + step * step};
    if (x == 0 || x + 1 == width) continue;
    const auto at = [&](int row, int column) { return int{three[row][x + column]}; };
    const auto across = static_cast<float>(at(0, 1) + 2 * at(1, 1) + at(2, 1) - at(0, -1) - 2 * at(1, -1) - at(2, -1));
    const auto down = static_cast<float>(at(2, -1) + 2 * at(2, 0) + at(2, 1) - at(0, -1) - 2 * at(0, 0) - at(0, 1));
    const auto magnitude = static_cast<int64_t>(std::sqrt(across * across + down * down) * scale + 0.5F);
    sobel = {sobel.sum + magnitude, sobel.squares + magnitude * magnitude};
  }
  ForEachTarget([&] {
    EXPECT_EQ(SobelMoments(three, width, scale), sobel) << width;
    EXPECT_EQ(DifferenceMoments(three[1], three[0], width), difference) << width;
  });
}

TEST(InformationRows, AreThePlainSums) {
  for (int width = 3; width <= 70; ++width) {
    CompareRows<uint8_t>(width, 255);
    CompareRows<uint16_t>(width, 1023);
  }
  for (const int width : {1025, 32768}) {
    CompareRows<uint8_t>(width, 255);
    CompareRows<uint16_t>(width, 65535);
  }
}

}  // namespace
}  // namespace acutance
