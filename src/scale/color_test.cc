#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "scale/color_changer.h"

namespace acutance {
namespace {

using ::testing::ElementsAre;

constexpr LumaShares kBt709 = {2126, 722}, kBt601 = {2990, 1140}, kBt2020 = {2627, 593};
constexpr int kDepths[] = {8, 10, 12, 16};

/// Not kept within the samples' bits.
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
  const ColorWeights hd = WeightsOfRgb(kBt709, false, 8), sd = WeightsOfRgb(kBt601, false, 8);
  EXPECT_THAT(YuvOf(hd, {255, 255, 255}), ElementsAre(235, 128, 128));
  EXPECT_THAT(YuvOf(hd, {0, 0, 0}), ElementsAre(16, 128, 128));
  EXPECT_THAT(YuvOf(hd, {255, 0, 0}), ElementsAre(63, 102, 240));
  EXPECT_THAT(YuvOf(hd, {0, 255, 0}), ElementsAre(173, 42, 26));
  EXPECT_THAT(YuvOf(hd, {0, 0, 255}), ElementsAre(32, 240, 118));
  EXPECT_THAT(YuvOf(sd, {255, 0, 0}), ElementsAre(81, 90, 240));
  EXPECT_THAT(YuvOf(sd, {0, 255, 0}), ElementsAre(145, 54, 34));
  EXPECT_THAT(YuvOf(WeightsOfRgb(kBt709, true, 8), {255, 0, 0}), ElementsAre(54, 99, 256))
      << "half of a step above the samples, which pictures keep within them";
}

/// The definition in real numbers, at every depth; the weights lie within half of 2^-24 of it.
TEST(WeightsOfRgb, LieAtTheDefinition) {
  const std::array<double, 3> shares = {0.2627, 0.678, 0.0593};
  for (const int depth : kDepths) {
    const ColorWeights weights = WeightsOfRgb(kBt2020, false, depth);
    const double top = std::exp2(depth) - 1, unit = std::exp2(depth - 8);
    for (const std::array<double, 3>& part : {std::array{0.1, 0.5, 0.9}, {1.0, 0.0, 0.3}, {0.7, 0.2, 0.0}}) {
      const std::array<int64_t, 3> rgb = {std::lround(part[0] * top), std::lround(part[1] * top),
                                          std::lround(part[2] * top)};
      const double luma = (shares[0] * rgb[0] + shares[1] * rgb[1] + shares[2] * rgb[2]) / top;
      const std::array<int, 3> yuv = YuvOf(weights, rgb);
      EXPECT_NEAR(yuv[0], unit * (16 + 219 * luma), 0.51);
      EXPECT_NEAR(yuv[1], unit * (128 + 224 * (rgb[2] / top - luma) / (2 - 2 * shares[2])), 0.51);
      EXPECT_NEAR(yuv[2], unit * (128 + 224 * (rgb[0] / top - luma) / (2 - 2 * shares[0])), 0.51);
    }
    for (const int64_t gray : {int64_t{0}, int64_t{77}, (int64_t{1} << depth) - 1}) {
      EXPECT_EQ(YuvOf(weights, {gray, gray, gray})[1], 1 << (depth - 1));
      EXPECT_EQ(YuvOf(weights, {gray, gray, gray})[2], 1 << (depth - 1));
    }
  }
}

struct Range {
  int64_t zero, span;
};

/// BT.2100's table 9: `from.span` values from `from.zero` on become `to.span` from `to.zero` on; halves go away from
/// zero.
int64_t ValueIn(const Range& from, const Range& to, int64_t value) {
  const int64_t doubled = 2 * (value - from.zero) * to.span;
  return to.zero + (doubled + (doubled < 0 ? -from.span : from.span)) / (2 * from.span);
}

void ExpectAllValuesOf(bool to_full, int depth) {
  const int64_t unit = int64_t{1} << (depth - 8), top = (int64_t{1} << depth) - 1, middle = 128 * unit;
  const std::array<Range, 2> full = {{{0, top}, {middle, top}}};
  const std::array<Range, 2> limited = {{{16 * unit, 219 * unit}, {middle, 224 * unit}}};
  const ColorWeights weights = WeightsOfRange(to_full, depth);
  for (int p = 0; p < 3; ++p)
    for (int64_t value = 0; value <= top; ++value) {
      const size_t kind = p > 0 ? 1 : 0;
      const Range &from = (to_full ? limited : full)[kind], &to = (to_full ? full : limited)[kind];
      const int64_t found = (weights.weights[p][p] * value + weights.bias[p]) >> weights.bits;
      ASSERT_EQ(std::clamp<int64_t>(found, 0, top), std::clamp<int64_t>(ValueIn(from, to, value), 0, top))
          << value << " of plane " << p << " of " << depth << " bits" << (to_full ? " to full" : " to limited");
    }
}

TEST(WeightsOfRange, GiveEveryValueOfTheDefinition) {
  for (const int depth : kDepths)
    for (const bool to_full : {false, true}) ExpectAllValuesOf(to_full, depth);
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

TEST(ColorChanger, AddsUpPlanes) {
  const PictureFormat format = {21, 3, 10, PixelFormat::k444};
  const ColorWeights weights = WeightsOfRgb(kBt709, true, 10);
  const ColorChanger changer(format, weights);
  EXPECT_THAT(changer.SourcesOf(1), ElementsAre(0, 1, 2));
  PicturePool pool;
  const Picture made = changer.Change(MakeRamps(format, {{{0, 51}, {1023, -50}, {300, 0}}}), pool).value();
  for (int x = 0; x < format.width; ++x) {
    const std::array<int, 3> expected = YuvOf(weights, {51 * x, 1023 - 50 * x, 300});
    for (int p = 0; p < 3; ++p)
      EXPECT_EQ(made.planes[p].Row<uint16_t>(2)[x], std::clamp(expected[p], 0, 1023)) << x << " of plane " << p;
  }
}

TEST(ColorChanger, KeepsSamplesWithinTheirBits) {
  PicturePool pool;
  const PictureFormat rgb = {4, 1, 8, PixelFormat::k444};
  const ColorChanger to_full(rgb, WeightsOfRgb(kBt709, true, 8));
  const Picture red = to_full.Change(MakeRamps(rgb, {{{255, 0}, {0, 0}, {0, 0}}}), pool).value();
  EXPECT_EQ(red.planes[2].Row<uint8_t>(0)[3], 255);
  const PictureFormat gray = {4, 1, 10, PixelFormat::k400};
  const ColorChanger to_limited(gray, WeightsOfRange(false, 10));
  const Picture beyond = to_limited.Change(MakeRamps(gray, {{{1022, 1}, {}, {}}}), pool).value();
  EXPECT_THAT(std::vector(beyond.planes[0].Row<uint16_t>(0), beyond.planes[0].Row<uint16_t>(0) + 4),
              ElementsAre(939, 940, 940, 940));
}

TEST(ColorChanger, LeavesOutWhatIsNotThereOrNotWanted) {
  PicturePool pool;
  const PictureFormat format = {8, 4, 8, PixelFormat::k444};
  const Picture source = MakeRamps(format, {{{9, 3}, {200, -7}, {4, 5}}});
  Picture luma = source;
  luma.planes[1] = luma.planes[2] = {};
  const ColorChanger range(format, WeightsOfRange(true, 8)), rgb(format, WeightsOfRgb(kBt709, false, 8));
  const Picture of_luma = range.Change(luma, pool).value();
  EXPECT_NE(of_luma.planes[0].data, nullptr);
  EXPECT_EQ(of_luma.planes[1].data, nullptr);
  const Picture luma_only = rgb.Change(source, pool, true).value(), whole = rgb.Change(source, pool).value();
  EXPECT_EQ(luma_only.planes[1].data, nullptr);
  EXPECT_EQ(luma_only.planes[0].Row<uint8_t>(3)[7], whole.planes[0].Row<uint8_t>(3)[7]);
}

}  // namespace
}  // namespace acutance
