// The resampler of AOM's common test conditions, against plain loops by docs/spec/avm.md 7.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "convert/aom_taps.h"
#include "convert/scaler.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;
using Rows = std::vector<std::vector<int>>;

std::vector<int> TapsOf(const ScaleTaps& taps, int result) {
  std::vector<int> found;
  for (int k = 0; k < taps.used; ++k) found.push_back(taps.weight(result, k));
  return found;
}

// What AVM's tool prints for 2:3:5:c,d, 2:1:5:c and 1:2:5:c.
TEST(AomTaps, AreTheTools) {
  const ScaleTaps luma = MakeAomTaps({2, 3}, 300, 200, false), chroma = MakeAomTaps({2, 3}, 300, 200, true);
  EXPECT_THAT(TapsOf(luma, 0),
              ElementsAre(12, 80, -366, 337, 577, -1991, 1993, 10418, 6844, -1361, -752, 886, -252, -126, 85, 0));
  EXPECT_THAT(TapsOf(luma, 101),
              ElementsAre(0, 85, -126, -252, 886, -752, -1361, 6844, 10418, 1993, -1991, 577, 337, -366, 80, 12));
  EXPECT_EQ(luma.first[100], 150 - 7);
  EXPECT_EQ(luma.first[101], 151 - 7);
  EXPECT_THAT(TapsOf(chroma, 0),
              ElementsAre(27, 47, -384, 511, 319, -2071, 3160, 10801, 5633, -1772, -364, 800, -330, -59, 66, 0));
  EXPECT_THAT(TapsOf(MakeAomTaps({1, 2}, 300, 150, false), 40),
              ElementsAre(20, 74, -148, -248, 384, 573, -854, -1329, 2370, 7350, 7350, 2370, -1329, -854, 573, 384,
                          -248, -148, 74, 20));
}

TEST(AomTaps, RatiosAreThoseOfTheTestConditions) {
  EXPECT_EQ(FindAomRatio(3840, 2560, true), (ScaleRatio{2, 3}));
  EXPECT_EQ(FindAomRatio(360, 2160, true), (ScaleRatio{6, 1}));
  EXPECT_EQ(FindAomRatio(270, 68, true), (ScaleRatio{1, 4})) << "67.5, cut off and made even";
  EXPECT_EQ(FindAomRatio(270, 68, false), (ScaleRatio{1, 4})) << "67.5, rounded";
  EXPECT_EQ(FindAomRatio(68, 270, true), (ScaleRatio{4, 1}));
  EXPECT_EQ(FindAomRatio(640, 480, true), (ScaleRatio{3, 4}));
  EXPECT_EQ(FindAomRatio(61, 61, true), (ScaleRatio{1, 1}));
}

int RoundAwayFromZero(int64_t sum, int shift) {
  const int64_t magnitude = (std::abs(sum) + (int64_t{1} << shift >> 1)) >> shift;
  return static_cast<int>(sum < 0 ? -magnitude : magnitude);
}

/// Rows, filtered along.
Rows Filter(const Rows& rows, const ScaleTaps& taps, int results, int shift, int low, int high) {
  Rows filtered;
  for (const std::vector<int>& row : rows) {
    filtered.emplace_back();
    for (int x = 0; x < results; ++x) {
      int64_t sum = 0;
      for (int k = 0; k < taps.used; ++k)
        sum += int64_t{taps.weight(x, k)} *
               row[static_cast<size_t>(std::clamp<int>(taps.first[x] + k, 0, static_cast<int>(row.size()) - 1))];
      filtered.back().push_back(std::clamp(RoundAwayFromZero(sum, shift), low, high));
    }
  }
  return filtered;
}

Rows Transposed(const Rows& rows) {
  Rows columns(rows[0].size());
  for (const std::vector<int>& row : rows)
    for (size_t x = 0; x < row.size(); ++x) columns[x].push_back(row[x]);
  return columns;
}

Rows RowsOf(const Picture& picture, int plane) {
  Rows rows;
  for (int y = 0; y < picture.format.PlaneHeight(plane); ++y) {
    rows.emplace_back();
    for (int x = 0; x < picture.format.PlaneWidth(plane); ++x)
      rows.back().push_back(picture.format.bit_depth > 8 ? picture.planes[plane].Row<uint16_t>(y)[x]
                                                         : picture.planes[plane].Row<uint8_t>(y)[x]);
  }
  return rows;
}

/// Black and white samples at random: sums below zero, and halves, come often.
Picture MakeHardPicture(const PictureFormat& format, uint32_t seed) {
  const MutablePicture picture = AllocatePicture(format).value();
  std::mt19937 random(seed);
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const auto value = static_cast<uint16_t>((random() % 2) * ((1u << format.bit_depth) - 1) ^ (random() % 2));
        if (format.bit_depth > 8) picture.Row<uint16_t>(p, y)[x] = value;
        else picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(value);
      }
  return picture.Share();
}

/// A plane by the specification: an axis that stays is passed over.
Rows ScalePlainly(const Rows& from, const PictureFormat& source, const PictureFormat& target, int plane) {
  const bool half_width = source.pixel_format != PixelFormat::k444,
             half_height = source.pixel_format == PixelFormat::k420;
  const int width = target.PlaneWidth(plane), height = target.PlaneHeight(plane), top = (1 << source.bit_depth) - 1;
  const ScaleTaps across = MakeAomTaps(FindAomRatio(source.width, target.width, half_width), source.PlaneWidth(plane),
                                       width, plane > 0 && half_width);
  const ScaleTaps down =
      MakeAomTaps(FindAomRatio(source.height, target.height, half_height), source.PlaneHeight(plane), height, false);
  if (source.height == target.height) return Filter(from, across, width, 14, 0, top);
  if (source.width == target.width) return Transposed(Filter(Transposed(from), down, height, 14, 0, top));
  const int extra = std::min(6, 14 - source.bit_depth);
  const Rows middle = Filter(from, across, width, 14 - extra, -32768, 32767);
  return Transposed(Filter(Transposed(middle), down, height, 14 + extra, 0, top));
}

TEST(AomFilter, HasTheSpecificationsSamples) {
  struct Sizes {
    int width, height, to_width, to_height;
  };
  constexpr Sizes kSizes[] = {{96, 60, 64, 40},  {64, 40, 96, 60}, {96, 48, 16, 8},  {16, 8, 96, 48},
                              {96, 48, 64, 24},  {90, 40, 60, 40}, {40, 90, 40, 60}, {40, 60, 40, 90},
                              {120, 80, 90, 50}, {74, 40, 25, 14}};
  uint32_t seed = 0;
  for (const Sizes& sizes : kSizes)
    for (const int bit_depth : {8, 10, 12})
      for (const PixelFormat pixel_format : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444}) {
        const PictureFormat from = {sizes.width, sizes.height, bit_depth, pixel_format};
        const PictureFormat to = {sizes.to_width, sizes.to_height, bit_depth, pixel_format};
        const Picture source = MakeHardPicture(from, ++seed);
        const MutablePicture found = AllocatePicture(to).value();
        Scaler::Make(from, to, {.filter = ScaleFilter::kAom}).value().Scale(source, found);
        for (int p = 0; p < 3; ++p)
          ASSERT_EQ(RowsOf(found.Share(), p), ScalePlainly(RowsOf(source, p), from, to, p))
              << bit_depth << " bits, plane " << p << ", " << sizes.width << "x" << sizes.height << " to "
              << sizes.to_width << "x" << sizes.to_height;
      }
}

}  // namespace
}  // namespace acutance
