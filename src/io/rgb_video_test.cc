#include "io/rgb_video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace acutance {
namespace {

using ::testing::ElementsAre;

std::array<int, 3> YuvOf(const RgbWeights& weights, std::array<int64_t, 3> rgb) {
  std::array<int, 3> yuv{};
  for (int p = 0; p < 3; ++p) {
    int64_t sum = weights.bias[p];
    for (int c = 0; c < 3; ++c) sum += weights.weights[p][c] * rgb[c];
    yuv[p] = static_cast<int>(sum >> RgbWeights::kBits);
  }
  return yuv;
}

TEST(RgbWeights, GiveTheKnownColors) {
  const RgbWeights hd = MakeRgbWeights(Matrix::kBt709, false, 8), sd = MakeRgbWeights(Matrix::kBt601, false, 8);
  EXPECT_THAT(YuvOf(hd, {255, 255, 255}), ElementsAre(235, 128, 128));
  EXPECT_THAT(YuvOf(hd, {0, 0, 0}), ElementsAre(16, 128, 128));
  EXPECT_THAT(YuvOf(hd, {255, 0, 0}), ElementsAre(63, 102, 240));
  EXPECT_THAT(YuvOf(hd, {0, 255, 0}), ElementsAre(173, 42, 26));
  EXPECT_THAT(YuvOf(hd, {0, 0, 255}), ElementsAre(32, 240, 118));
  EXPECT_THAT(YuvOf(sd, {255, 0, 0}), ElementsAre(81, 90, 240));
  EXPECT_THAT(YuvOf(sd, {0, 255, 0}), ElementsAre(145, 54, 34));
  EXPECT_THAT(YuvOf(MakeRgbWeights(Matrix::kBt709, true, 8), {255, 0, 0}), ElementsAre(54, 99, 256))
      << "half of a step above the samples, which pictures keep within them";
}

/// The definition in real numbers, at every depth; the weights lie within half of 2^-24 of it.
TEST(RgbWeights, LieAtTheDefinition) {
  const std::array<double, 3> shares = {0.2627, 0.678, 0.0593};
  for (const int depth : {8, 10, 12, 16}) {
    const RgbWeights weights = MakeRgbWeights(Matrix::kBt2020, false, depth);
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

}  // namespace
}  // namespace acutance
