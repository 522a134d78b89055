// The gain of the kernels, compiled here as plain C++, against the doubles of the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "metric/vif/vif_math.h"

namespace acutance::vif {
namespace {
#include "metric/vif/vif_gain.kernel.h"
}  // namespace
}  // namespace acutance::vif

namespace acutance {
namespace {

namespace kernel = vif;

kernel::SoftDouble Split(double x) {
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  return {(bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52, static_cast<int>(bits >> 52) - 1075};
}

double Join(kernel::SoftDouble x) { return std::ldexp(static_cast<double>(x.mantissa), x.exponent); }

/// Numbers of up to `bits` bits, of all lengths alike, many of them near powers of two.
uint64_t AnyLength(std::mt19937_64& random, int bits) {
  const int length = 1 + static_cast<int>(random() % bits);
  const uint64_t leading = uint64_t{1} << (length - 1);
  const uint64_t x = leading | (random() & (leading - 1));
  if (random() % 4 != 0) return x;
  return std::max<uint64_t>(
      leading + (random() % 2 ? random() % 3 : leading - 1 - random() % std::min(leading, uint64_t{3})), 1);
}

TEST(SoftDouble, Products) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1'000'000; ++i) {
    const double a = static_cast<double>(AnyLength(random, 53)), b = static_cast<double>(AnyLength(random, 53));
    const auto product = kernel::multiply_to_double(static_cast<uint64_t>(a), static_cast<uint64_t>(b), -7);
    ASSERT_EQ(Join(product), a * b * 0x1p-7) << a << " * " << b;
    ASSERT_EQ(product.mantissa >> 52, 1u);
  }
}

TEST(SoftDouble, Quotients) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1'000'000; ++i) {
    const uint32_t a = static_cast<uint32_t>(AnyLength(random, 32));
    const double b = static_cast<double>(AnyLength(random, 53)) * 0x1p-20;
    const auto quotient = kernel::divide_to_double(a, Split(b));
    ASSERT_EQ(Join(quotient), a / b) << a << " / " << b;
    ASSERT_EQ(quotient.mantissa >> 52, 1u);
  }
}

TEST(SoftDouble, TiesGoToEven) {
  // 2^53 + 1, 2^53 + 3, and one place below and above the tie.
  const uint64_t even = uint64_t{1} << 53;
  for (const uint64_t x : {even + 1, even + 3, 4 * even + 3, 4 * even + 5, 4 * even + 12, 4 * even + 11})
    EXPECT_EQ(Join(kernel::round_to_double(0, x, 0)), static_cast<double>(x)) << x;
  EXPECT_EQ(Join(kernel::round_to_double(even + 1, 0, -64)), static_cast<double>(even));
  EXPECT_EQ(Join(kernel::round_to_double(even + 1, 1, -64)), static_cast<double>(even + 2));
}

TEST(SoftDouble, FloorAndFraction) {
  for (const double x : {0.75, 1.0, 1.5, 123456.0625, 0x1.8p43, 0x1p-40, 0x1.8p-12, 0x1p-11, 0x1p-12, 0x1p-70}) {
    const auto soft = Split(x);
    EXPECT_EQ(kernel::floor_of_double(soft), static_cast<uint64_t>(x)) << x;
    EXPECT_EQ(std::ldexp(static_cast<double>(kernel::fraction_of_double(soft)), soft.exponent), x - std::floor(x)) << x;
  }
}

struct Gain {
  uint32_t n1;
  uint64_t n2;
};

Gain ByDoubles(uint32_t s1, uint32_t s2, uint32_t s12, double limit) {
  const double gain = s12 / (s1 + kVifGainEpsilon);
  const double residue = s2 - gain * s12;
  const uint32_t sv = residue > 0 ? static_cast<uint32_t>(residue) : 0;
  const double limited = std::min(gain, limit);
  const double square = limited * limited;
  const uint32_t n1 = sv + vif::kNoise;
  return {n1, static_cast<uint64_t>(square * s1) + n1};
}

struct Counts {
  int quick = 0;
  int all = 0;
};

void ExpectGain(uint32_t s1, uint32_t s2, uint32_t s12, double limit, Counts& counts) {
  const auto parts = Split(limit), square = Split(limit * limit);
  const kernel::VifGainLimit gain_limit = {parts.mantissa, square.mantissa, parts.exponent, square.exponent};
  const Gain expected = ByDoubles(s1, s2, s12, limit);
  const kernel::VifGain exact = kernel::exact_gain(s1, s2, s12, gain_limit);
  ASSERT_EQ(exact.n1, expected.n1) << s1 << " " << s2 << " " << s12 << " limit " << limit;
  ASSERT_EQ(exact.n2_high, expected.n2 >> exact.n2_shift) << s1 << " " << s2 << " " << s12 << " limit " << limit;
  ASSERT_TRUE(exact.n2_shift == 0 || exact.n2_high >= 65536);
  kernel::VifGain quick;
  ++counts.all;
  if (!kernel::quick_gain(s1, s2, s12, gain_limit, quick)) return;
  ++counts.quick;
  ASSERT_EQ(quick.n1, expected.n1) << s1 << " " << s2 << " " << s12 << " limit " << limit;
  ASSERT_EQ(quick.n2_high, expected.n2 >> quick.n2_shift) << s1 << " " << s2 << " " << s12 << " limit " << limit;
}

constexpr uint32_t kLargest = uint32_t{1} << 30;
constexpr double kLimits[] = {1, 1.2, 1.3, 2.5, 99.99, 100};

/// s1 from N on, of all lengths.
uint32_t AnyVariance(std::mt19937_64& random) {
  return vif::kNoise + static_cast<uint32_t>(std::min<uint64_t>(AnyLength(random, 30), kLargest - vif::kNoise) - 1);
}

TEST(VifGain, UnrelatedNumbers) {
  std::mt19937_64 random(3);
  Counts counts;
  for (int i = 0; i < 1'000'000; ++i)
    ExpectGain(AnyVariance(random), static_cast<uint32_t>(AnyLength(random, 30)),
               static_cast<uint32_t>(AnyLength(random, 30)), kLimits[i % 6], counts);
}

TEST(VifGain, WhatPicturesHave) {
  std::mt19937_64 random(4);
  Counts counts;
  std::uniform_real_distribution<double> gains(0.1, 2.0), noise(0.0, 1.0);
  for (int i = 0; i < 1'000'000; ++i) {
    const uint32_t s1 = AnyVariance(random) / 4 + vif::kNoise;
    const double gain = gains(random);
    const uint32_t s12 = static_cast<uint32_t>(std::clamp(gain * s1, 1.0, double{kLargest}));
    const double s2 = gain * gain * s1 + noise(random) * noise(random) * s1;
    ExpectGain(s1, static_cast<uint32_t>(std::clamp(s2, 1.0, double{kLargest})), s12, kLimits[i % 6], counts);
  }
  EXPECT_GT(counts.quick, counts.all * 0.999);
}

TEST(VifGain, EqualAndNearlyEqualPictures) {
  std::mt19937_64 random(5);
  Counts counts;
  for (int i = 0; i < 500'000; ++i) {
    const uint32_t s1 = std::min(AnyVariance(random), kLargest - 8);
    for (const double limit : {1.0, 100.0}) ExpectGain(s1, s1, s1, limit, counts);
  }
  EXPECT_GT(counts.quick, counts.all * 0.999) << "the same picture twice must not be slow";
  for (int i = 0; i < 500'000; ++i) {
    const uint32_t s1 = std::min(AnyVariance(random), kLargest - 8);
    ExpectGain(s1, s1 + random() % 8 - 4, s1 + random() % 8 - 4, kLimits[i % 6], counts);
  }
}

/// Covariances whose square is a multiple of s1, or close to one: there doubles round to integers or just miss them.
TEST(VifGain, NearIntegers) {
  std::mt19937_64 random(6);
  Counts counts;
  for (int i = 0; i < 500'000; ++i) {
    const uint64_t root = 363 + random() % 32000, factor = 1 + random() % 3;
    const uint64_t s1 = std::min<uint64_t>(root * root * factor, kLargest);
    const uint64_t s12 = std::min<uint64_t>(root * factor * (1 + random() % 64'000), kLargest);
    const uint64_t e = s12 * s12 / s1;
    const uint64_t s2 = std::min<uint64_t>(e + random() % 4, kLargest);
    if (s1 < uint32_t{vif::kNoise}) continue;
    ExpectGain(static_cast<uint32_t>(s1), static_cast<uint32_t>(std::max<uint64_t>(s2, 1)), static_cast<uint32_t>(s12),
               kLimits[i % 6], counts);
  }
}

/// The explained part is so small that it drops out of s2 - g s12, or does not.
TEST(VifGain, TinyCovariances) {
  Counts counts;
  for (uint32_t s12 = 1; s12 < 400; s12 += 7)
    for (int shift = 17; shift <= 30; ++shift)
      for (int length = 0; length <= 30; ++length)
        for (const int offset : {-1, 0, 1}) {
          const int64_t s2 = (int64_t{1} << length) + offset;
          if (s2 < 1 || s2 > kLargest) continue;
          ExpectGain(uint32_t{1} << shift, static_cast<uint32_t>(s2), s12, 100, counts);
          ExpectGain(std::min((uint32_t{1} << shift) + 12345, kLargest), static_cast<uint32_t>(s2), s12, 1, counts);
        }
}

/// Gains at the limit and next to it.
TEST(VifGain, AtTheLimit) {
  std::mt19937_64 random(7);
  Counts counts;
  for (int i = 0; i < 500'000; ++i) {
    const double limit = kLimits[i % 6];
    const uint32_t s1 = std::min(AnyVariance(random), static_cast<uint32_t>(kLargest / limit) - 8);
    const uint32_t s12 = static_cast<uint32_t>(limit * s1) + random() % 5 - 2;
    if (s1 < uint32_t{vif::kNoise}) continue;
    ExpectGain(s1, static_cast<uint32_t>(AnyLength(random, 30)), s12, limit, counts);
  }
}

}  // namespace
}  // namespace acutance
