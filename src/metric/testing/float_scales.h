// Tests of metrics whose results are those of rows of several scales (FloatScalesExtractor) against plain loops.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "metric/blocks/float_pyramid.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {

/// The results of `run` (scale, band, images, results) of all scales, in bands of `rows`.
template <class Layout, class Run>
std::vector<std::vector<int64_t>> AllScales(const Layout& layout, int rows, Run run) {
  FloatPyramid images(layout.smaller_sizes());
  std::vector<std::vector<int64_t>> results;
  const auto [heights, per_row] = layout.rows();
  for (size_t scale = 0; scale < heights.size(); ++scale) {
    results.emplace_back(heights[scale] * per_row, -1);
    for (int y = 0; y < heights[scale]; y += rows)
      run(static_cast<int>(scale), RowBand{y, std::min(y + rows, heights[scale])}, images, results.back());
  }
  return results;
}

/// Expects `band`, on every instruction set and in bands of any size, to give what `reference_band` gives.
template <class Buffers, class Layout, class Band, class ReferenceBand>
void ExpectScalesEqual(const Layout& layout, const Picture& reference, const Picture& distorted, Band band,
                       ReferenceBand reference_band) {
  const LumaPlanes planes = {reference.planes[0], distorted.planes[0]};
  constexpr int kAllRows = 1 << 20;
  const auto expected = AllScales(layout, kAllRows, [&](int scale, RowBand rows, auto& images, auto& results) {
    reference_band(layout, scale, rows, planes, images, results);
  });
  Buffers buffers(layout);  // reused, dirty, as the engine does
  ForEachTarget([&] {
    for (const int rows : {1, 2, 3, 5, 8, kAllRows})
      EXPECT_EQ(AllScales(layout, rows,
                          [&](int scale, RowBand part, auto& images, auto& results) {
                            band(layout, scale, part, planes, images, buffers, results);
                          }),
                expected)
          << reference.format.width << "x" << reference.format.height << " " << reference.format.bit_depth
          << " bit, bands of " << rows;
  });
}

/// Calls `check` (reference, distorted) with noise of many sizes from `smallest` on.
template <class Check>
void ForNoiseOfManySizes(int smallest, Check check) {
  std::mt19937 random(1);
  const auto noise = [&](int, int, int) { return random() & 255; };
  const std::pair<int, int> beyond[] = {{0, 0}, {1, 3}, {7, 0}, {15, 17}, {24, 8}, {47, 1}, {49, 14}, {81, 5}};
  for (const auto& [width, height] : beyond) {
    const PictureFormat format = {smallest + width, smallest + height, 8, PixelFormat::k400};
    check(MakeTestPicture(format, noise), MakeTestPicture(format, noise));
  }
}

/// Calls `check` (reference, distorted) with pairs of flat pictures and of extreme ones.
template <class Check>
void ForPairsOfPatterns(Check check) {
  const PictureFormat format = {50, 35, 8, PixelFormat::k400};
  using Pattern = int (*)(int x, int y);
  const Pattern patterns[] = {
      [](int, int) { return 0; }, [](int, int) { return 255; }, [](int x, int y) { return (x + y) % 2 * 255; },
      [](int x, int) { return x / 5 % 2 * 255; }, [](int x, int y) { return 120 + (x * y) % 3; }};
  for (const Pattern one : patterns)
    for (const Pattern other : patterns)
      check(MakeTestPicture(format, [&](int, int x, int y) { return one(x, y); }),
            MakeTestPicture(format, [&](int, int x, int y) { return other(x + 1, y); }));
}

}  // namespace acutance
