// SIMD against the plain loops, bit for bit, on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "metric/speed/speed.h"
#include "metric/speed/speed_cpu.h"
#include "metric/testing/known_pictures.h"
#include "metric/testing/pictures.h"
#include "metric/testing/spoiled_estimates.h"
#include "simd/testing/targets.h"

namespace acutance {
namespace {

namespace floats {
#include "kernel/divide/any_float.kernel.h"
}  // namespace floats

constexpr int kDepths[] = {8, 10, 12, 16};

std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

TEST(ExactFloats, RoundCorrectlyAtAnySize) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> size(-126, 127);
  const auto check = [](float a, float b) {
    ASSERT_EQ(floats::divide_any_floats(a, b), a / b) << a << " / " << b;
    ASSERT_EQ(floats::divide_any_floats(-a, b), -a / b) << a << " / " << b;
    ASSERT_EQ(floats::root_of_any_float(a), std::sqrt(a)) << a;
    if (a < 0x1p62f) {
      ASSERT_EQ(floats::root_of_moderate_float(a), std::sqrt(a)) << a;
    }
  };
  for (int i = 0; i < 1000000; ++i) check(std::exp2(size(random)), std::exp2(size(random)));
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float a : {0.0f, 1e-45f, 1e-38f, 1.0f, 3e38f, infinity})
    for (const float b : {1e-45f, 1e-6f, 25.0f, 3e38f}) check(a, b);
  EXPECT_TRUE(std::isnan(floats::divide_any_floats(infinity, infinity)));
  EXPECT_TRUE(std::isnan(floats::divide_any_floats(0, 0)));
  EXPECT_TRUE(std::isnan(floats::root_of_any_float(std::nanf(""))));
}

/// The inverse of a modulo an odd m.
uint64_t InverseModulo(uint64_t a, uint64_t m) {
  int64_t inverse = 0, next = 1;
  auto rest = static_cast<int64_t>(m), divisor = static_cast<int64_t>(a % m);
  while (divisor != 0) {
    const int64_t quotient = rest / divisor;
    inverse = std::exchange(next, inverse - quotient * next);
    rest = std::exchange(divisor, rest - quotient * divisor);
  }
  return inverse < 0 ? inverse + m : inverse;
}

/// Whether all estimates of 1 / b lead to the quotient.
bool DividesByFused(float a, float b) {
  const auto nearest = std::bit_cast<uint32_t>(1.0f / b);
  for (uint32_t step = -4u; step != 5u; ++step)
    if (floats::divide_by_fused(a, b, std::bit_cast<float>(nearest + step)) != a / b) return false;
  return true;
}

// A quotient of whole numbers A and B of 24 digits lies nearest to the middle of two floats where A * 2^24 or A * 2^25
// leaves 1 or B - 1 when divided by B. All odd B have been tried, here the largest and every 997th; and all A by the
// two largest B, here every 31st.
TEST(ExactFloats, DivideByFusedOperationsNearTheMiddle) {
  constexpr uint64_t kFirst = 1 << 23, kEnd = 1 << 24;
  const auto check = [](uint64_t a, uint64_t b) {
    ASSERT_TRUE(DividesByFused(static_cast<float>(a), static_cast<float>(b))) << a << " / " << b;
  };
  int tried = 0;
  for (uint64_t b = kFirst + 1; b < kEnd; b += b < kEnd - 3000 ? 2 * 997 : 2)
    for (const uint64_t power : {kEnd, 2 * kEnd}) {
      const uint64_t inverse = InverseModulo(power, b);
      for (uint64_t a : {inverse, b - inverse})
        for (; a < kEnd; a += b)
          if (a >= kFirst) check(a, b), ++tried;
    }
  EXPECT_GT(tried, 5000);
  for (uint64_t a = kFirst; a < kEnd; a += 31) {
    check(a, kEnd - 1);
    check(a, kEnd - 2);
  }
}

// All floats from 1 to 4 have been tried, here every 61st.
TEST(ExactFloats, RootByFusedOperations) {
  for (uint32_t bits = std::bit_cast<uint32_t>(1.0f); bits < std::bit_cast<uint32_t>(4.0f); bits += 61) {
    const auto a = std::bit_cast<float>(bits);
    const auto nearest = std::bit_cast<uint32_t>(static_cast<float>(1 / std::sqrt(static_cast<double>(a))));
    for (const uint32_t step : {-16u, -4u, -1u, 0u, 1u, 4u, 16u})
      ASSERT_EQ(floats::root_by_fused(a, std::bit_cast<float>(nearest + step)), std::sqrt(a)) << a;
  }
}

using Words = std::vector<int64_t>;

/// A picture, and what is made of it by both implementations.
struct Case {
  const TestPlane& plane;
  const TestPlane* less = nullptr;
  int bit_depth = 8;
  SpeedSettings settings = {};

  SpeedLayout Layout() const {
    return MakeSpeedLayout("speed", settings, plane.plane().width, plane.plane().height, bit_depth).value();
  }
  SpeedSource Source() const { return {&plane.plane(), less ? &less->plane() : nullptr}; }
};

std::vector<float> SampleRef(const Case& c) {
  const SpeedLayout layout = c.Layout();
  std::vector<float> samples(layout.samples());
  SampleSpeedRef(layout, c.Source(), {0, layout.rows}, samples.data());
  return samples;
}

std::vector<float> Sample(const Case& c, SpeedScratch& scratch, int band_rows) {
  const SpeedLayout layout = c.Layout();
  std::vector<float> samples(layout.samples(), -1);
  for (int y = 0; y < layout.rows; y += band_rows)
    SampleSpeed(layout, c.Source(), {y, std::min(y + band_rows, layout.rows)}, scratch, samples.data());
  return samples;
}

Words AnalyseRef(const SpeedLayout& layout, float sigma_nn, std::span<const float> samples) {
  Words words(SpeedWords(layout));
  AnalyseSpeedRef(layout, sigma_nn, samples, words);
  return words;
}

void ExpectEqualToRef(const Case& c) {
  const SpeedLayout layout = c.Layout();
  const std::vector<float> samples = SampleRef(c);
  const Words expected = AnalyseRef(layout, c.settings.sigma_nn, samples);
  SpeedScratch scratch(layout);  // reused, dirty, as the engine does
  ForEachTarget([&] {
    for (const int rows : {layout.rows, 1, 3})
      EXPECT_EQ(Bits(Sample(c, scratch, rows)), Bits(samples))
          << layout.width << "x" << layout.height << " " << c.bit_depth << " bit";
    Words words(expected.size(), -1);
    AnalyseSpeed(layout, c.settings.sigma_nn, samples, scratch, words);
    EXPECT_EQ(words, expected) << layout.width << "x" << layout.height << " " << c.bit_depth << " bit";
  });
}

TEST(Speed, NoiseOfManySizes) {
  std::mt19937 random(1);
  const std::pair<int, int> sizes[] = {{80, 80},   {81, 97},   {95, 111},  {160, 163}, {175, 190},
                                       {207, 260}, {260, 207}, {333, 351}, {640, 90},  {90, 640}};
  for (const int depth : kDepths)
    for (const auto& [width, height] : sizes) {
      const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
      const TestPlane a(width, height, depth, noise), b(width, height, depth, noise);
      ExpectEqualToRef({a, nullptr, depth});
      ExpectEqualToRef({a, &b, depth});
    }
}

TEST(Speed, EveryFilterAndResizing) {
  std::mt19937 random(2);
  for (const int depth : {8, 10}) {
    const auto noise = [&](int, int) { return random() & ((1 << depth) - 1); };
    const TestPlane a(231, 245, depth, noise), b(231, 245, depth, noise);
    for (const float scale : {0.5f, 1.5f, 2.0f, 3.0f, 360.0f / 97})
      ExpectEqualToRef({a, &b, depth, {.kernel_scale = scale}});
    for (const ResizingMethod resizing :
         {ResizingMethod::kNearest, ResizingMethod::kBilinear, ResizingMethod::kBicubic, ResizingMethod::kLanczos})
      for (const double prescale : {0.45, 0.97, 1.3})
        for (const bool differs : {false, true})
          ExpectEqualToRef(
              {a, differs ? &b : nullptr, depth, {.kernel_scale = 2, .prescale = prescale, .resizing = resizing}});
  }
}

TEST(Speed, ExtremesAndSmoothPictures) {
  using Pattern = int (*)(int x, int y, int max);
  const Pattern patterns[] = {
      [](int, int, int) { return 0; },
      [](int, int, int max) { return max; },
      [](int, int, int max) { return (max + 1) / 2; },
      [](int x, int y, int max) { return (x / 16 + y / 16) % 2 * max; },
      [](int x, int, int max) { return x / 48 % 2 * max; },
      [](int x, int y, int max) { return (5 * x + 3 * y) * (max / 700 + 1) % (max + 1); },
      [](int x, int y, int max) { return x / 16 * 7919 % 31 * y / 16 * 104729 % 61 % 3 * (max / 2); },
  };
  for (const int depth : kDepths)
    for (const Pattern pattern : patterns) {
      const int max = (1 << depth) - 1;
      const TestPlane a(243, 254, depth, [&](int x, int y) { return pattern(x, y, max); });
      const TestPlane b(243, 254, depth, [&](int x, int y) { return pattern(y, x, max); });
      ExpectEqualToRef({a, nullptr, depth});
      ExpectEqualToRef({a, &b, depth, {.sigma_nn = 0.1f}});
      ExpectEqualToRef({b, &a, depth, {.sigma_nn = 2}});
    }
}

TEST(Speed, PicturesThatAreNotNoise) {
  const TestPlane a(400, 360, 8, [](int x, int y) { return KnownSample(0, x, y, 0, false, 8); });
  const TestPlane b(400, 360, 8, [](int x, int y) { return KnownSample(0, x, y, 1, true, 8); });
  ExpectEqualToRef({a});
  ExpectEqualToRef({a, &b});
}

/// Small pictures straight from a generator: their covariances are of every size and condition.
TEST(Speed, CovariancesOfEveryCondition) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  const TestPlane plane(350, 330, 8, [](int, int) { return 0; });
  const SpeedLayout layout = Case{plane}.Layout();
  SpeedScratch scratch(layout);
  int regular = 0;
  for (int i = 0; i < 60; ++i) {
    const float size = std::ldexp(1.0f, i % 20 - 10), mix = i % 3 * 0.49f;
    std::vector<float> samples(layout.samples());
    for (size_t s = 0; s < samples.size(); ++s)
      samples[s] = size * normal(random) + (s > 0 ? mix * samples[s - 1] : 0.0f);
    const Words expected = AnalyseRef(layout, 0.29f, samples);
    regular += expected.back() == 0;
    ForEachTarget([&] {
      Words words(expected.size(), -1);
      AnalyseSpeed(layout, 0.29f, samples, scratch, words);
      EXPECT_EQ(words, expected) << i;
    });
  }
  EXPECT_GT(regular, 40);
  EXPECT_LT(regular, 60);
}

}  // namespace
}  // namespace acutance
