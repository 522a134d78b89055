#include "metric/ciede/ciede.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "math/exact_math.h"
#include "metric/blocks/words.h"
#include "metric/testing/bands.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/spoiled_estimates.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

namespace by_doubles {
#include "kernel/divide/double.kernel.h"
}  // namespace by_doubles

using testing::HasSubstr;

constexpr int kDepths[] = {8, 10, 12, 16};
constexpr PixelFormat kFormats[] = {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444};

// --- The functions of the definition

/// `check` for numbers from `low` to `high`, dense in their exponents.
template <class Check>
void ForNumbers(double low, double high, Check check) {
  const double step = std::exp2(1.0 / 50021);
  for (double x = low; x <= high; x *= step) check(x);
}

TEST(CiedeMath, PowersAreNearTheExactOnes) {
  double worst_power = 0, worst_root = 0;
  ForNumbers(0.08, 2.7,
             [&](double x) { worst_power = std::max(worst_power, std::abs(ciede::power_2_4(x) / Pow(x, 2.4) - 1)); });
  ForNumbers(0.008, 4,
             [&](double x) { worst_root = std::max(worst_root, std::abs(ciede::cube_root(x) / Cbrt(x) - 1)); });
  EXPECT_LT(worst_power, 2e-14);
  EXPECT_LT(worst_root, 8e-16);
}

// A hue is the float nearest to the angle, or one that is as near by 1 %.
TEST(CiedeMath, HuesAreNearTheExactOnes) {
  const double turn = 2 * std::acos(-1.0);
  double worst = 0;
  for (int i = -300; i <= 300; ++i)
    for (int k = -300; k <= 300; ++k) {
      if (i == 0 && k >= 0) continue;
      const float b = static_cast<float>(i) * 0.37f, a = static_cast<float>(k) * 0.11f;
      const double angle = Atan2(static_cast<double>(b), static_cast<double>(a));
      const float rounded = static_cast<float>(angle);
      const float hue = ciede::hue_of(a, b);
      const double exact = rounded < 0.0f ? static_cast<double>(rounded) + turn : angle;
      const double last_place = std::exp2(std::ilogb(hue) - 23);
      worst = std::max(worst, std::abs(static_cast<double>(hue) - exact) / last_place);
    }
  EXPECT_LT(worst, 0.505);
  EXPECT_LT(std::abs(ciede::hue_of(0.0f, 0.0f)), 1e-11f);
  EXPECT_LT(std::abs(ciede::hue_of(7.0f, 0.0f)), 1e-11f);
  EXPECT_EQ(ciede::hue_of(-1.0f, 0.0f), std::acos(-1.0f));
}

TEST(CiedeMath, SinesDecayAndWeightAreNearTheExactOnes) {
  double worst_sine = 0, worst_decay = 0, worst_weight = 0;
  for (int i = -15707; i <= 15707; ++i) {
    const float x = static_cast<float>(i) * 1e-4f;
    const double wide = static_cast<double>(x);
    worst_sine = std::max(worst_sine, std::abs(wide + static_cast<double>(ciede::sine_rest(x)) - Sin(wide)));
  }
  for (int i = 0; i <= 25000; ++i) {
    const float x = static_cast<float>(i) * 1e-3f;
    worst_decay =
        std::max(worst_decay, std::abs(static_cast<double>(ciede::decay(x)) / Exp(-static_cast<double>(x)) - 1));
  }
  for (int i = 0; i < 9424; ++i) {
    const float hue = static_cast<float>(i) * 1e-3f;
    const double h = static_cast<double>(hue), degree = std::acos(-1.0) / 180;
    const double exact = 1 - 0.17 * Cos(h - 30 * degree) + 0.24 * Cos(2 * h) + 0.32 * Cos(3 * h + 6 * degree) -
                         0.20 * Cos(4 * h - 63 * degree);
    worst_weight = std::max(worst_weight, std::abs(static_cast<double>(ciede::hue_weight(hue)) - exact));
  }
  EXPECT_LT(worst_sine, 1.2e-7);
  EXPECT_LT(worst_decay, 3e-7);
  EXPECT_LT(worst_weight, 5e-7);
}

TEST(CiedeMath, LengthsOfHueStepsAreRoundedOnce) {
  double worst = 0;
  EXPECT_EQ(ciede::hue_length(0.5f, 0), 0);
  for (int i = 1; i < 3000; ++i) {
    if (i % 97 == 0) continue;  // no hue step
    const float product = static_cast<float>(i * i) * 0.0137f, x = static_cast<float>(i % 97) * 1e-3f;
    const double exact = 2 * std::sqrt(static_cast<double>(product)) * Sin(static_cast<double>(x));
    const double last_place = std::exp2(std::ilogb(exact) - 23);
    worst = std::max(worst, std::abs(static_cast<double>(ciede::hue_length(product, x)) - exact) / last_place);
  }
  EXPECT_LT(worst, 0.51);
}

// --- What stands for IEEE 754's division and root where a device does not promise them

void ExpectRoundedResults(double a, double b) {
  ASSERT_EQ(by_doubles::divide_doubles(a, b), a / b) << a << " / " << b;
  ASSERT_EQ(by_doubles::divide_doubles(-a, b), -a / b) << a << " / " << b;
  ASSERT_EQ(by_doubles::root_of_double(a), std::sqrt(a)) << a;
}

TEST(ExactDoubles, RoundCorrectly) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> size(-100, 100);
  for (int i = 0; i < 1000000; ++i) {
    const double a = std::exp2(size(random)), b = std::exp2(size(random));
    ExpectRoundedResults(a, b);
    ExpectRoundedResults(b * (1 + std::ldexp(static_cast<double>(random() % 64), -52)), b);  // next to a power of two
    ExpectRoundedResults(a * a, a);                                                          // roots that are near
  }
  for (int i = 1; i < 3000; ++i) {
    ExpectRoundedResults(static_cast<double>(i) * i, i);
    for (const double b : {3.0, 7.0, 1 + 0x1p-52, 2 - 0x1p-52}) ExpectRoundedResults(i * b, b);
    // Squares of numbers with 54 digits: roots in the middle of two doubles, except what the square lost.
    const double middle = 1 + i * 0x1p-20;
    ExpectRoundedResults(middle * middle * (1 + 0x1p-52), middle);
    ExpectRoundedResults(std::ldexp(1 + i * 0x1p-52, i % 40 - 20), 1 + i * 0x1p-40);
  }
  for (const double tiny : {1e-300, 3.6e-42, 1e300}) EXPECT_EQ(by_doubles::root_of_double(tiny), std::sqrt(tiny));
  EXPECT_EQ(by_doubles::divide_doubles(0, 3), 0);
  EXPECT_EQ(by_doubles::root_of_double(0), 0);
}

// --- The SIMD implementation against plain loops

void ExpectRowsEqualToRef(const Picture& reference, const Picture& distorted) {
  const PictureFormat& format = reference.format;
  const CiedeChroma chroma = MakeCiedeChroma(format);
  const CiedePicture r = {reference.planes}, d = {distorted.planes};
  for (int y = 0; y < format.height; ++y) {
    const double expected = CiedeRowRef(r, d, format.bit_depth, chroma, y);
    ForEachTarget([&] {
      static CiedeBuffers buffers(700);  // reused, dirty, as the engine does
      EXPECT_EQ(CiedeRow(r, d, format.bit_depth, chroma, y, buffers), expected)
          << format.width << "x" << format.height << " " << PixelFormatName(format.pixel_format) << " "
          << format.bit_depth << " bit, row " << y;
    });
  }
}

TEST(CiedeRow, NoiseOfManySizes) {
  std::mt19937 random(1);
  for (const int depth : kDepths)
    for (const PixelFormat chroma : kFormats)
      for (const int width : {2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 66, 127, 129, 600}) {
        const PictureFormat format = {width, 5, depth, chroma};
        const auto noise = [&](int, int, int) { return random() & ((1 << depth) - 1); };
        ExpectRowsEqualToRef(MakeTestPicture(format, noise), MakeTestPicture(format, noise));
      }
}

// More colours than are cached, many of them in one place, and rows that come back when theirs are overwritten.
TEST(CiedeRow, ManyColours) {
  std::mt19937 random(3);
  const PictureFormat format = {600, 120, 8, PixelFormat::k444};
  const auto noise = [&](int, int, int) { return random() & 0xff; };
  const Picture first = MakeTestPicture(format, noise), second = MakeTestPicture(format, noise);
  for (int i = 0; i < 2; ++i) {
    ExpectRowsEqualToRef(first, second);
    ExpectRowsEqualToRef(second, first);
  }
}

TEST(CiedeRow, SmallErrorsAndEqualPixels) {
  std::mt19937 random(2);
  for (const int depth : kDepths)
    for (const PixelFormat chroma : kFormats) {
      const PictureFormat format = {301, 6, depth, chroma};
      const int max = (1 << depth) - 1;
      const auto ramp = [&](int p, int x, int y) { return (x * (p + 1) * (max / 400 + 1) + y * 40) % max; };
      const Picture reference = MakeTestPicture(format, ramp);
      for (const int rare : {1, 2, 20})
        ExpectRowsEqualToRef(reference, MakeTestPicture(format, [&](int p, int x, int y) {
                               return ramp(p, x, y) + static_cast<int>(random() % rare == 0);
                             }));
    }
}

TEST(CiedeRow, ExtremesOfAllPlanes) {
  for (const int depth : kDepths) {
    const PictureFormat format = {64, 27, depth, PixelFormat::k444};
    const int max = (1 << depth) - 1, middle = (max + 1) / 2;
    const int levels[] = {0, middle, max};
    const auto one = [&](int p, int x, int y) { return levels[(p == 0 ? x : p == 1 ? x / 3 : x / 9) % 3 * (y >= 0)]; };
    const auto other = [&](int p, int, int y) { return levels[(p == 0 ? y : p == 1 ? y / 3 : y / 9) % 3]; };
    ExpectRowsEqualToRef(MakeTestPicture(format, one), MakeTestPicture(format, other));
  }
}

// --- The metric as the engine sees it

double Score(const Picture& reference, const Picture& distorted) {
  return TestMetric(kCiedeMetric, {}, reference.format).Values(reference, distorted)[0];
}

// libvmaf's; the pictures are small, so that roundings to float add up to more than in a film.
TEST(Ciede, KnownAnswers) {
  EXPECT_NEAR(Score(KnownPicture(8, 0, false), KnownPicture(8, 0, true)), 45.38862122213334, 1e-8);
  EXPECT_NEAR(Score(KnownPicture(10, 0, false), KnownPicture(10, 0, true)), 45.396015121061794, 1e-8);
}

TEST(Ciede, NoSplitIntoBandsChangesABit) {
  for (const PixelFormat chroma : kFormats) {
    const PictureFormat format = {121, 75, 10, chroma};
    ExpectNoSplitShows({kCiedeMetric, {}, format}, {FilmPicture(format, 0)}, {FilmPicture(format, 0, true)},
                       {1, 2, 19});
  }
}

TEST(Ciede, IdenticalPicturesAreInfinite) {
  for (const int depth : kDepths) {
    const PictureFormat format = {33, 17, depth};
    EXPECT_EQ(Score(FilmPicture(format, 0), FilmPicture(format, 0)), std::numeric_limits<double>::infinity());
    const Picture black = MakeTestPicture(format, [](int, int, int) { return 0; });
    EXPECT_EQ(Score(black, black), std::numeric_limits<double>::infinity());
  }
}

// Two grey levels: only lightness differs, (L2 - L1) / (0.65 SL).
TEST(Ciede, GreyPictures) {
  const PictureFormat format = {8, 8, 8};
  const auto grey = [&](int level) {
    return MakeTestPicture(format, [=](int p, int, int) { return p == 0 ? level : 128; });
  };
  const auto lightness = [](int level) {
    const double light = std::pow(((level - 16) / 219.0 + 0.055) / 1.055, 2.4);
    return 116 * std::cbrt(light) - 16;
  };
  const double l1 = lightness(100), l2 = lightness(180), offset = (l1 + l2) / 2 - 50;
  const double scale = 1 + 0.015 * offset * offset / std::sqrt(20 + offset * offset);
  EXPECT_NEAR(Score(grey(100), grey(180)), 45 - 20 * std::log10((l2 - l1) / (0.65 * scale)), 1e-5);
}

// libvmaf's: pixel j of row i reads sample (i/2) * stride + j of a chroma plane.
TEST(Ciede, ChromaOf422IsReadAsLibvmafDoes) {
  const PictureFormat format = {128, 4, 8, PixelFormat::k422};
  const Picture reference = MakeTestPicture(format, [](int p, int, int) { return p == 0 ? 120 : 128; });
  const Picture distorted = MakeTestPicture(format, [](int p, int x, int y) {
    return p == 1 && x == 1 && y == 1 ? 170 : p == 0 ? 120 : 128;
  });
  const std::vector<int64_t> words = TestMetric(kCiedeMetric, {}, format).Run({reference}, {distorted}).words;
  for (const int y : {0, 1, 2, 3}) EXPECT_GT(DoubleFromWord(words[y]), 0.0) << y;  // as columns 65, 65, 1, 1
}

TEST(Ciede, RefusesWhatItCannotScore) {
  EXPECT_THAT(RefusalOf(kCiedeMetric, {}, {64, 48, 8, PixelFormat::k400}), HasSubstr("chroma"));
  EXPECT_THAT(RefusalOf(kCiedeMetric, {}, {1, 48, 8}), HasSubstr("no chroma samples"));
  EXPECT_EQ(RefusalOf(kCiedeMetric, {}, {1, 1, 16, PixelFormat::k444}), "");
}

}  // namespace
}  // namespace acutance
