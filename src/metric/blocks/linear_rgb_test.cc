#include "metric/blocks/linear_rgb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "metric/testing/known_pictures.h"
#include "metric/testing/pictures.h"
#include "simd/testing/targets.h"

namespace acutance {

#include "kernel/divide/float_via_fma.kernel.h"

namespace {

using testing::ElementsAre;

using RowFunction = void (*)(const LinearRgbConversion&, const Picture&, int, RowBand, std::array<float*, 3>);
using ColorPlanes = std::array<std::vector<float>, 3>;

/// Each row in two parts, the first of which has `split` columns.
ColorPlanes Convert(RowFunction convert, const LinearRgbSettings& settings, const Picture& picture, int split = 0) {
  const LinearRgbConversion conversion(settings, picture.format);
  const int width = picture.format.width;
  ColorPlanes planes;
  for (auto& plane : planes) plane.resize(static_cast<size_t>(width) * picture.format.height);
  for (int y = 0; y < picture.format.height; ++y) {
    const ptrdiff_t row = ptrdiff_t{y} * width;
    for (const auto& [begin, end] : {std::pair{0, split}, {split, width}})
      if (begin < end)
        convert(conversion, picture, y, {begin, end},
                {planes[0].data() + row + begin, planes[1].data() + row + begin, planes[2].data() + row + begin});
  }
  return planes;
}

/// CRC-32 of the floats' bytes, little end first.
uint32_t Crc32(const std::vector<float>& values) {
  uint32_t crc = ~0u;
  for (const float value : values)
    for (int byte = 0; byte < 4; ++byte) {
      crc ^= std::bit_cast<uint32_t>(value) >> (8 * byte) & 0xffu;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1u ? 0xedb88320u : 0u);
    }
  return ~crc;
}

std::vector<uint32_t> ChecksOf(const Picture& picture) {
  const ColorPlanes planes = Convert(LinearRgbRow, {}, picture);
  return {Crc32(planes[0]), Crc32(planes[1]), Crc32(planes[2])};
}

// docs/spec/beyond.md 7.2
TEST(LinearRgb, KnownAnswers) {
  EXPECT_THAT(ChecksOf(KnownPicture(8, 0, false)), ElementsAre(0x537e762cu, 0x94498dffu, 0x87743119u));
  EXPECT_THAT(ChecksOf(KnownPicture(8, 0, true)), ElementsAre(0xbd7761ebu, 0x480da484u, 0x1cd51170u));
  EXPECT_THAT(ChecksOf(KnownPicture(8, 1, true)), ElementsAre(0x0089ec77u, 0xda5cad25u, 0xbbf71cdbu));
  EXPECT_THAT(ChecksOf(KnownPicture(10, 0, false)), ElementsAre(0xa8e5577au, 0x64548b90u, 0x01a28370u));
  EXPECT_THAT(ChecksOf(KnownPicture(10, 1, true)), ElementsAre(0x056ba4b0u, 0xbb0762f3u, 0x1f32bf83u));
}

// docs/spec/beyond.md 1.5
TEST(LinearRgb, KnownCurves) {
  constexpr uint32_t kInputs[] = {0x3c23d70a, 0x3e3851ec, 0x3f000000, 0x3f800000, 0x3faf5c29};
  constexpr uint32_t kPowers[] = {0x3784f352, 0x3c85ac50, 0x3e420300, 0x3f800000, 0x40083dd0};
  constexpr uint32_t kSrgb[] = {0x3a4ae5d8, 0x3cdeeb32, 0x3e5b2d99, 0x3f800000, 0x4003ae01};
  for (int i = 0; i < 5; ++i) {
    const float input = std::bit_cast<float>(kInputs[i]);
    EXPECT_EQ(std::bit_cast<uint32_t>(light::power_24(input)), kPowers[i]);
    EXPECT_EQ(std::bit_cast<uint32_t>(light::srgb_to_linear(input)), kSrgb[i]);
  }
  EXPECT_EQ(light::power_24(0x1p-41f), 0.0f);
}

TEST(Fused, RoundsOnce) {
  std::mt19937 random(1);
  const auto number = [&](int exponents) {
    return std::ldexp(static_cast<float>(static_cast<int32_t>(random())), static_cast<int>(random() % exponents) - 60);
  };
  for (int i = 0; i < 300'000; ++i) {
    const float a = number(40), b = number(40), c = number(80);
    ASSERT_EQ(fused(a, b, c), __builtin_fmaf(a, b, c)) << a << " " << b << " " << c;
    ASSERT_EQ(fused_wide(a, b, c), __builtin_fmaf(a, b, c)) << a << " " << b << " " << c;
    const float near = -(a * b);
    ASSERT_EQ(fused(a, b, near), __builtin_fmaf(a, b, near)) << a << " " << b;
    ASSERT_EQ(fused_wide(a, b, near), __builtin_fmaf(a, b, near)) << a << " " << b;
  }
  // The middle of two floats and less than a double's last place more; the middle itself; a subnormal number.
  const auto expect = [](float x, float y, float z) {
    EXPECT_EQ(fused(x, y, z), __builtin_fmaf(x, y, z)) << x << " " << y << " " << z;
    EXPECT_EQ(fused_wide(x, y, z), __builtin_fmaf(x, y, z)) << x << " " << y << " " << z;
  };
  expect(0x1.000002p0f, 0x1.000002p-40f, 0x1.000001p0f);
  expect(1.0f, 0x1p-24f, 1.0f);
  expect(1.0f, 0x1.8p-23f, 1.0f);
  expect(0x1.000002p-24f, 0x1.000002p-30f, 0x1.000001p30f);
  expect(0x1p-75f, 0x1p-74f, 0x1.8p-148f);
}

/// Whether each estimate that a device may have of 1 / b leads to the quotient.
bool DividesByFused(float a, float b) {
  const auto nearest = std::bit_cast<uint32_t>(1.0f / b);
  for (const uint32_t step : {-2u, -1u, 0u, 1u, 2u})
    if (divide_tried_by_fused(a, b, std::bit_cast<float>(nearest + step)) != a / b) return false;
  return true;
}

// All divisions of power_24: a power of 32 more or less only moves exponents. Every 61st float, for time; once, all 50
// million have been tried, and all of srgb_to_linear up to 8.
TEST(LinearRgb, DividesByFusedOperations) {
  constexpr uint32_t kFirst = 0x3d000000u, kEnd = kFirst + (6u << 23);
  for (uint32_t bits = kFirst; bits < kEnd; bits += 61) {
    const float q = std::bit_cast<float>(bits) * 0.2f;
    float r = std::bit_cast<float>(bits / 5u + 0x32c9a4f0u);
    for (int i = 0; i < 3; ++i) {
      const float r2 = r * r;
      ASSERT_TRUE(DividesByFused(q, r2 * r2)) << q << " / " << r2 * r2;
      r = r * 0.8f + q / (r2 * r2);
    }
  }
}

TEST(LinearRgb, EqualsThePlainLoops) {
  std::mt19937 random(2);
  using enum LinearRgbSettings::Siting;
  for (const PixelFormat chroma : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    for (const auto& [width, height] : {std::pair{2, 2}, {5, 3}, {7, 8}, {33, 9}, {70, 6}})
      for (const auto siting : {kLeft, kCenter, kTopLeft, kTop})
        for (const int transfer : {LINEAR_RGB_NONE, LINEAR_RGB_BT1886, LINEAR_RGB_SRGB}) {
          const int depth = siting == kTop ? 16 : siting == kLeft ? 8 : 12;
          const LinearRgbSettings settings = {
              .full_range = width % 2 == 0, .transfer = transfer, .siting = siting, .clips = height % 2 == 0};
          const Picture picture = MakeTestPicture({width, height, depth, chroma},
                                                  [&](int, int, int) { return random() & ((1 << depth) - 1); });
          const ColorPlanes expected = Convert(LinearRgbRowRef, settings, picture);
          ForEachTarget([&] {
            for (const int split : {0, 2, width / 4 * 2})
              EXPECT_EQ(Convert(LinearRgbRow, settings, picture, split), expected)
                  << width << "x" << height << " " << PixelFormatName(chroma) << " " << transfer << " at " << split;
          });
        }
}

/// Red, green and blue, 0 to 1, each as `depth` bits or as a float.
Picture ColorsOf(int width, int height, int depth, bool full_range, std::mt19937& random) {
  const PictureFormat format = {width, height, depth, PixelFormat::k444};
  if (depth != kFloatDepth)
    return MakeTestPicture(format, [&](int, int, int) { return random() & ((1u << depth) - 1); });
  const MutablePicture made = AllocatePicture(format).value();
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        made.Row<float>(p, y)[x] = static_cast<float>(random() % 3000) / 1000.0f - (full_range ? 0.5f : 1.0f);
  return made.Share();
}

TEST(LinearRgb, RedGreenAndBlueEqualThePlainLoops) {
  std::mt19937 random(3);
  for (const int depth : {8, 10, 16, kFloatDepth})
    for (const auto& [width, height] : {std::pair{1, 1}, {5, 3}, {33, 2}, {70, 2}})
      for (const int transfer : {LINEAR_RGB_NONE, LINEAR_RGB_BT1886, LINEAR_RGB_SRGB})
        for (const bool clips : {false, true}) {
          const LinearRgbSettings settings = {.matrix = LinearRgbSettings::Matrix::kRgb,
                                              .full_range = width % 2 == 1,
                                              .transfer = transfer,
                                              .clips = clips};
          const Picture picture = ColorsOf(width, height, depth, settings.full_range, random);
          const ColorPlanes expected = Convert(LinearRgbRowRef, settings, picture);
          ForEachTarget([&] {
            EXPECT_EQ(Convert(LinearRgbRow, settings, picture, width / 4 * 2), expected)
                << width << "x" << height << " " << depth << " bits " << transfer;
          });
        }
}

// docs/spec/beyond.md 1.5: libjxl's tools take an 8-bit picture so.
TEST(LinearRgb, RedGreenAndBlueAreSharesOfTheWhole) {
  const LinearRgbSettings settings = {
      .matrix = LinearRgbSettings::Matrix::kRgb, .full_range = true, .transfer = LINEAR_RGB_SRGB};
  const Picture picture =
      MakeTestPicture({4, 1, 8, PixelFormat::k444}, [](int plane, int x, int) { return (60 * plane + 51 * x) % 256; });
  const ColorPlanes planes = Convert(LinearRgbRow, settings, picture);
  for (int p = 0; p < 3; ++p)
    for (int x = 0; x < 4; ++x)
      EXPECT_EQ(planes[p][x], light::srgb_to_linear(static_cast<float>((60 * p + 51 * x) % 256) * (1.0f / 255.0f)));
}

TEST(LinearRgb, RefusesWhatIsNoColor) {
  LinearRgbSettings settings = {.matrix = LinearRgbSettings::Matrix::kRgb};
  EXPECT_TRUE(CheckLinearRgb("x", settings, {8, 8, 8, PixelFormat::k444}).ok());
  EXPECT_TRUE(CheckLinearRgb("x", settings, {8, 8, kFloatDepth, PixelFormat::k444}).ok());
  EXPECT_FALSE(CheckLinearRgb("x", settings, {8, 8, 8, PixelFormat::k420}).ok());
  EXPECT_FALSE(CheckLinearRgb("x", settings, {8, 8, 8, PixelFormat::k400}).ok());
  settings.matrix = LinearRgbSettings::Matrix::kBt709;
  EXPECT_FALSE(CheckLinearRgb("x", settings, {8, 8, kFloatDepth, PixelFormat::k444}).ok());
  EXPECT_FALSE(CheckLinearRgb("x", settings, {1, 8, 8, PixelFormat::k420}).ok());
}

}  // namespace
}  // namespace acutance
