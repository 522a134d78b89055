#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "convert/color_converter.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;

constexpr LumaShares kBt709 = {2126, 722}, kBt601 = {2990, 1140}, kBt2020 = {2627, 593};
/// Bits, and those of the result.
constexpr std::pair<int, int> kDepths[] = {{8, 8},  {10, 10}, {12, 12}, {16, 16}, {8, 10},
                                           {8, 12}, {8, 16},  {10, 12}, {10, 16}, {12, 16}};

/// Not clamped to the samples' bits.
std::array<int, 3> YuvOf(const ColorWeights& weights, std::array<int64_t, 3> rgb) {
  std::array<int, 3> yuv{};
  for (int p = 0; p < 3; ++p) {
    int64_t sum = weights.bias[p];
    for (int c = 0; c < 3; ++c) sum += weights.weights[p][c] * rgb[c];
    yuv[p] = static_cast<int>(sum >> weights.bits);
  }
  return yuv;
}

TEST(WeightsOfRgb, GiveTheKnownColors) {
  const ColorWeights hd = WeightsOfRgb(kBt709, 8, {false, 8}), sd = WeightsOfRgb(kBt601, 8, {false, 8});
  EXPECT_THAT(YuvOf(hd, {255, 255, 255}), ElementsAre(235, 128, 128));
  EXPECT_THAT(YuvOf(hd, {0, 0, 0}), ElementsAre(16, 128, 128));
  EXPECT_THAT(YuvOf(hd, {255, 0, 0}), ElementsAre(63, 102, 240));
  EXPECT_THAT(YuvOf(hd, {0, 255, 0}), ElementsAre(173, 42, 26));
  EXPECT_THAT(YuvOf(hd, {0, 0, 255}), ElementsAre(32, 240, 118));
  EXPECT_THAT(YuvOf(sd, {255, 0, 0}), ElementsAre(81, 90, 240));
  EXPECT_THAT(YuvOf(sd, {0, 255, 0}), ElementsAre(145, 54, 34));
  EXPECT_THAT(YuvOf(WeightsOfRgb(kBt709, 8, {true, 8}), {255, 0, 0}), ElementsAre(54, 99, 256))
      << "half of a step above the samples, to which pictures are clamped";
}

/// The definition in real numbers, at every depth; the weights lie within half of 2^-24 of it.
TEST(WeightsOfRgb, LieAtTheDefinition) {
  const std::array<double, 3> shares = {0.2627, 0.678, 0.0593};
  for (const auto& [from, to] : kDepths) {
    const ColorWeights weights = WeightsOfRgb(kBt2020, from, {false, to});
    EXPECT_EQ(weights.bit_depth, to);
    const double top = std::exp2(from) - 1, unit = std::exp2(to - 8);
    for (const std::array<double, 3>& part : {std::array{0.1, 0.5, 0.9}, {1.0, 0.0, 0.3}, {0.7, 0.2, 0.0}}) {
      const std::array<int64_t, 3> rgb = {std::lround(part[0] * top), std::lround(part[1] * top),
                                          std::lround(part[2] * top)};
      const double luma = (shares[0] * rgb[0] + shares[1] * rgb[1] + shares[2] * rgb[2]) / top;
      const std::array<int, 3> yuv = YuvOf(weights, rgb);
      EXPECT_NEAR(yuv[0], unit * (16 + 219 * luma), 0.51);
      EXPECT_NEAR(yuv[1], unit * (128 + 224 * (rgb[2] / top - luma) / (2 - 2 * shares[2])), 0.51);
      EXPECT_NEAR(yuv[2], unit * (128 + 224 * (rgb[0] / top - luma) / (2 - 2 * shares[0])), 0.51);
    }
    for (const int64_t gray : {int64_t{0}, int64_t{77}, (int64_t{1} << from) - 1}) {
      EXPECT_EQ(YuvOf(weights, {gray, gray, gray})[1], 1 << (to - 1));
      EXPECT_EQ(YuvOf(weights, {gray, gray, gray})[2], 1 << (to - 1));
    }
  }
}

struct Values {
  int64_t zero, span;
};

/// BT.2100's table 9: `from.span` values from `from.zero` on become `to.span` from `to.zero` on; halves go away from
/// zero.
int64_t ValueIn(const Values& from, const Values& to, int64_t value) {
  const int64_t doubled = 2 * (value - from.zero) * to.span;
  return to.zero + (doubled + (doubled < 0 ? -from.span : from.span)) / (2 * from.span);
}

std::array<Values, 2> ValuesOf(const SampleRange& range) {
  const int64_t unit = int64_t{1} << (range.bit_depth - 8), middle = 128 * unit;
  if (range.is_full) return {{{0, 256 * unit - 1}, {middle, 256 * unit - 1}}};
  return {{{16 * unit, 219 * unit}, {middle, 224 * unit}}};
}

void ExpectAllValuesOf(const SampleRange& from, const SampleRange& to) {
  const int64_t from_top = (int64_t{1} << from.bit_depth) - 1, to_top = (int64_t{1} << to.bit_depth) - 1;
  const ColorWeights weights = WeightsOfRange(from, to);
  for (int p = 0; p < 3; ++p)
    for (int64_t value = 0; value <= from_top; ++value) {
      const size_t kind = p > 0 ? 1 : 0;
      const int64_t found = (weights.weights[p][p] * value + weights.bias[p]) >> weights.bits;
      const int64_t expected = ValueIn(ValuesOf(from)[kind], ValuesOf(to)[kind], value);
      ASSERT_EQ(std::clamp<int64_t>(found, 0, to_top), std::clamp<int64_t>(expected, 0, to_top))
          << value << " of plane " << p << " of " << from.bit_depth << " bits, " << (from.is_full ? "full" : "limited")
          << ", to " << to.bit_depth << ", " << (to.is_full ? "full" : "limited");
    }
}

TEST(WeightsOfRange, GiveEveryValueOfTheDefinition) {
  for (const auto& [from, to] : kDepths)
    for (const bool from_full : {false, true})
      for (const bool to_full : {false, true}) ExpectAllValuesOf({from_full, from}, {to_full, to});
}

/// Sample x of a row of each plane has the plane's first value and x times its step.
struct Ramp {
  int first, step;
};

Picture MakeRamps(const PictureFormat& format, const std::array<Ramp, 3>& ramps) {
  const MutablePicture picture = AllocatePicture(format).value();
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const int value = ramps[p].first + ramps[p].step * x;
        if (format.bit_depth == 8) picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(value);
        else picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(value);
      }
  return picture.Share();
}

TEST(ColorConverter, AddsUpPlanes) {
  const PictureFormat format = {21, 3, 10, PixelFormat::k444};
  const ColorWeights weights = WeightsOfRgb(kBt709, 10, {true, 10});
  const ColorConverter converter(format, weights);
  EXPECT_THAT(converter.SourcesOf(1), ElementsAre(0, 1, 2));
  PicturePool pool;
  const Picture made = converter.Convert(MakeRamps(format, {{{0, 51}, {1023, -50}, {300, 0}}}), pool).value();
  for (int x = 0; x < format.width; ++x) {
    const std::array<int, 3> expected = YuvOf(weights, {51 * x, 1023 - 50 * x, 300});
    for (int p = 0; p < 3; ++p)
      EXPECT_EQ(made.planes[p].Row<uint16_t>(2)[x], std::clamp(expected[p], 0, 1023)) << x << " of plane " << p;
  }
}

TEST(ColorConverter, ClampsSamplesToTheirBits) {
  PicturePool pool;
  const PictureFormat rgb = {4, 1, 8, PixelFormat::k444};
  const ColorConverter to_full(rgb, WeightsOfRgb(kBt709, 8, {true, 8}));
  const Picture red = to_full.Convert(MakeRamps(rgb, {{{255, 0}, {0, 0}, {0, 0}}}), pool).value();
  EXPECT_EQ(red.planes[2].Row<uint8_t>(0)[3], 255);
  const PictureFormat gray = {4, 1, 10, PixelFormat::k400};
  const ColorConverter to_limited(gray, WeightsOfRange({true, 10}, {false, 10}));
  const Picture beyond = to_limited.Convert(MakeRamps(gray, {{{1022, 1}, {}, {}}}), pool).value();
  EXPECT_THAT(std::vector(beyond.planes[0].Row<uint16_t>(0), beyond.planes[0].Row<uint16_t>(0) + 4),
              ElementsAre(939, 940, 940, 940));
}

TEST(ColorConverter, GivesMoreBits) {
  PicturePool pool;
  const PictureFormat rgb = {13, 2, 8, PixelFormat::k444};
  const ColorWeights weights = WeightsOfRgb(kBt709, 8, {false, 12});
  const Picture made =
      ColorConverter(rgb, weights).Convert(MakeRamps(rgb, {{{0, 20}, {255, -20}, {9, 0}}}), pool).value();
  EXPECT_EQ(made.format, (PictureFormat{13, 2, 12, PixelFormat::k444}));
  for (int x = 0; x < rgb.width; ++x)
    for (int p = 0; p < 3; ++p)
      EXPECT_EQ(made.planes[p].Row<uint16_t>(1)[x], YuvOf(weights, {20 * x, 255 - 20 * x, 9})[p]) << x << " of " << p;
  const PictureFormat gray = {4, 1, 10, PixelFormat::k400};
  const ColorConverter full(gray, WeightsOfRange({true, 10}, {true, 16}));
  const Picture white = full.Convert(MakeRamps(gray, {{{1021, 1}, {}, {}}}), pool).value();
  EXPECT_THAT(std::vector(white.planes[0].Row<uint16_t>(0), white.planes[0].Row<uint16_t>(0) + 4),
              ElementsAre(65407, 65471, 65535, 65535));
}

TEST(ColorConverter, LeavesOutWhatIsNotThereOrNotWanted) {
  PicturePool pool;
  const PictureFormat format = {8, 4, 8, PixelFormat::k444};
  const Picture source = MakeRamps(format, {{{9, 3}, {200, -7}, {4, 5}}});
  Picture luma = source;
  luma.planes[1] = luma.planes[2] = {};
  const ColorConverter range(format, WeightsOfRange({false, 8}, {true, 8})),
      rgb(format, WeightsOfRgb(kBt709, 8, {false, 8}));
  const Picture of_luma = range.Convert(luma, pool).value();
  EXPECT_NE(of_luma.planes[0].data, nullptr);
  EXPECT_EQ(of_luma.planes[1].data, nullptr);
  const Picture luma_only = rgb.Convert(source, pool, true).value(), whole = rgb.Convert(source, pool).value();
  EXPECT_EQ(luma_only.planes[1].data, nullptr);
  EXPECT_EQ(luma_only.planes[0].Row<uint8_t>(3)[7], whole.planes[0].Row<uint8_t>(3)[7]);
}

}  // namespace
}  // namespace acutance
