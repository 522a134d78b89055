#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>

#include "convert/scaler.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

using ::testing::HasSubstr;

/// kWide: samples that do not fit their bit depth, which files may have.
enum class Content { kNoise, kFlat, kStripes, kWide };

MutablePicture Make(const PictureFormat& format, Content content, uint32_t seed) {
  MutablePicture picture = AllocatePicture(format).value();
  std::mt19937 random(seed);
  const uint32_t top = (1u << format.bit_depth) - 1;
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        const uint32_t noise = random() & top, stripe = (x + y) % 2 ? top : 0;
        const uint32_t wide = random() & 0xFFFF;
        const std::array<uint32_t, 4> values = {noise, top, stripe, wide};
        const uint32_t value = values[static_cast<size_t>(content)];
        if (format.bit_depth > 8) picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(value);
        else picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(value);
      }
  return picture;
}

std::vector<int> Samples(const MutablePicture& picture, int plane) {
  std::vector<int> samples;
  for (int y = 0; y < picture.format.PlaneHeight(plane); ++y)
    for (int x = 0; x < picture.format.PlaneWidth(plane); ++x)
      samples.push_back(picture.format.bit_depth > 8 ? picture.Row<uint16_t>(plane, y)[x]
                                                     : picture.Row<uint8_t>(plane, y)[x]);
  return samples;
}

PictureFormat Resized(PictureFormat format, int width, int height) {
  format.width = width;
  format.height = height;
  return format;
}

constexpr ScaleFilter kFilters[] = {ScaleFilter::kBicubic, ScaleFilter::kLanczos, ScaleFilter::kBilinear,
                                    ScaleFilter::kArea, ScaleFilter::kAom};

struct Sizes {
  int width, height, to_width, to_height;
};

constexpr Sizes kSizes[] = {
    {64, 36, 128, 72}, {128, 72, 64, 36}, {61, 35, 97, 23},  {4, 4, 67, 61},    {100, 50, 33, 50}, {3, 200, 3, 17},
    {640, 8, 20, 300}, {97, 23, 61, 35},  {301, 9, 150, 18}, {300, 9, 203, 6},  {250, 6, 77, 6},   {2, 2, 2, 2},
    {262, 3, 131, 10}, {67, 2, 135, 3},   {90, 7, 60, 2},    {120, 40, 80, 40}, {40, 80, 40, 120}};

TEST(Scaler, SimdHasTheReferencesBits) {
  for (const ScaleFilter filter : kFilters)
    for (const int bit_depth : {8, 10, 12, 16})
      for (const PixelFormat pixel_format : {PixelFormat::k420, PixelFormat::k444})
        for (const Sizes& sizes : kSizes)
          for (const Content content : {Content::kNoise, Content::kStripes, Content::kWide}) {
            const PictureFormat from = {sizes.width, sizes.height, bit_depth, pixel_format};
            const PictureFormat to = Resized(from, sizes.to_width, sizes.to_height);
            const Scaler scaler = Scaler::Make(from, to, {.filter = filter}).value();
            const Picture source = Make(from, content, 7).Share();
            const MutablePicture expected = AllocatePicture(to).value();
            scaler.ScaleRef(source, expected);
            ForEachTarget([&] {
              const MutablePicture found = AllocatePicture(to).value();
              scaler.Scale(source, found);
              for (int p = 0; p < to.PlaneCount(); ++p)
                ASSERT_EQ(Samples(found, p), Samples(expected, p))
                    << kScaleFilterNames[static_cast<int>(filter)] << ", " << bit_depth << " bits, plane " << p << ", "
                    << sizes.width << "x" << sizes.height << " to " << sizes.to_width << "x" << sizes.to_height;
            });
          }
}

TEST(Scaler, FlatStaysFlat) {
  for (const int bit_depth : {8, 10, 16})
    for (const Sizes& sizes : kSizes) {
      const PictureFormat from = {sizes.width, sizes.height, bit_depth, PixelFormat::k420};
      const PictureFormat to = Resized(from, sizes.to_width, sizes.to_height);
      const MutablePicture found = AllocatePicture(to).value();
      Scaler::Make(from, to, {.filter = ScaleFilter::kLanczos})
          .value()
          .Scale(Make(from, Content::kFlat, 1).Share(), found);
      for (int p = 0; p < 3; ++p) EXPECT_THAT(Samples(found, p), ::testing::Each((1 << bit_depth) - 1));
    }
}

TEST(Scaler, EqualSizesChangeNothing) {
  const PictureFormat format = {50, 30, 10, PixelFormat::k420};
  const MutablePicture picture = Make(format, Content::kNoise, 3), found = AllocatePicture(format).value();
  for (const ScaleFilter filter : {ScaleFilter::kBicubic, ScaleFilter::kLanczos, ScaleFilter::kArea}) {
    Scaler::Make(format, format, {.filter = filter}).value().Scale(picture.Share(), found);
    for (int p = 0; p < 3; ++p) EXPECT_EQ(Samples(found, p), Samples(picture, p));
  }
}

TEST(Scaler, HalvesAnAreaByItsMean) {
  const PictureFormat from = {8, 4, 8, PixelFormat::k400}, to = {4, 2, 8, PixelFormat::k400};
  const MutablePicture picture = Make(from, Content::kNoise, 5), found = AllocatePicture(to).value();
  Scaler::Make(from, to, {.filter = ScaleFilter::kArea}).value().Scale(picture.Share(), found);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x) {
      const uint8_t *top = picture.Row<uint8_t>(0, 2 * y) + 2 * x, *low = picture.Row<uint8_t>(0, 2 * y + 1) + 2 * x;
      EXPECT_NEAR(found.Row<uint8_t>(0, y)[x], (top[0] + top[1] + low[0] + low[1]) / 4.0, 0.51);
    }
}

// Sums of 32 bits hold products of samples and weights (scale_math.kernel.h).
TEST(ScaleTaps, WeightsAddUpToOneAndAreNotTwiceThat) {
  std::vector<ScaleAxis> axes;
  for (const double step : {0.1, 0.37, 1.0, 1.5, 7.3, 64.0})
    axes.push_back({.from = static_cast<int>(200 * step), .to = 200, .step = step});
  for (const int from : {2, 61, 300, 960})
    for (const int to : {4, 64, 97, 320, 1920})
      axes.push_back({.from = from, .to = to, .step = static_cast<double>(from) / to});
  for (const ScaleFilter filter : kFilters)
    for (const ScaleAxis& axis : axes) {
      const ScaleTaps taps = MakeScaleTaps(filter, axis);
      for (int i = 0; i < axis.to; ++i) {
        int sum = 0, magnitude = 0;
        for (int k = 0; k < taps.taps; ++k) sum += taps.weight(i, k), magnitude += std::abs(taps.weight(i, k));
        ASSERT_EQ(sum, 1 << ScaleTaps::kBits);
        ASSERT_LT(magnitude, 2 << ScaleTaps::kBits);
        ASSERT_GE(taps.first[i], -taps.taps);
      }
    }
}

// A ramp stays a ramp: the places of luma and of chroma on either siting.
TEST(ScaleTaps, PutsResultsInTheirPlaces) {
  const auto place = [](const ScaleAxis& axis, int i) {
    const ScaleTaps taps = MakeScaleTaps(ScaleFilter::kBilinear, axis);
    double sum = 0;
    for (int k = 0; k < taps.taps; ++k) sum += (taps.first[i] + k) * taps.weight(i, k);
    return sum / (1 << ScaleTaps::kBits);
  };
  constexpr double kNear = 1e-4;
  const ScaleAxis luma = {.from = 100, .to = 200, .step = 0.5};
  EXPECT_NEAR(place(luma, 80), 80.5 * 0.5 - 0.5, kNear);
  const ScaleAxis between = {.from = 100, .to = 200, .step = 0.5, .subsample = 2, .siting = 0.5};
  EXPECT_NEAR(place(between, 80), 80.5 * 0.5 - 0.5, kNear) << "between two of luma: as luma";
  const ScaleAxis left = {.from = 100, .to = 200, .step = 0.5, .subsample = 2, .siting = 0};
  EXPECT_NEAR(place(left, 80), 80 * 0.5 - 0.125, kNear) << "luma sample 160 lies at 79.75 of the source's";
}

TEST(Scaler, RefusesWhatItCannotDo) {
  const PictureFormat format = {640, 360, 8, PixelFormat::k420};
  EXPECT_THAT(Scaler::Make(format, Resized(format, 8, 360), {}).status().message(), HasSubstr("64 times"));
  EXPECT_THAT(Scaler::Make(Resized(format, 1, 1), Resized(format, 2, 2), {}).status().message(), HasSubstr("chroma"));
  PictureFormat deeper = format;
  deeper.bit_depth = 10;
  EXPECT_FALSE(Scaler::Make(format, deeper, {}).ok());
}

}  // namespace
}  // namespace acutance
