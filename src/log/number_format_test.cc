#include "log/number_format.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace acutance {
namespace {

NumberFormat Parse(std::string_view precision) {
  const Result<NumberFormat> format = NumberFormat::Parse(precision);
  EXPECT_TRUE(format.ok()) << format.status().message();
  return *format;
}

std::string Printf(const char* format, int precision, double value) {
  char text[512];
  std::snprintf(text, sizeof(text), format, precision, value);
  return text;
}

/// A finite double of any size.
double RandomDouble(std::mt19937_64& random) {
  for (;;) {
    const uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isfinite(value)) return value;
  }
}

TEST(NumberFormat, LibvmafsRule) {
  const NumberFormat rule;
  EXPECT_EQ(rule.Format(13.00000025), "13.0000002499999994");
  EXPECT_EQ(rule.Format(1.25e-7), "0.0000001250000000");
  EXPECT_EQ(rule.Format(0.000001), "0.000001");
  EXPECT_EQ(rule.Format(5), "5.000000");
  EXPECT_EQ(rule.Format(88.629511), "88.629511");
  EXPECT_EQ(rule.Format(-0.5), "-0.500000");
  EXPECT_EQ(rule.Format(-1.25e-7), "-0.0000001250000000");
  EXPECT_EQ(rule.Format(0), "0.000000");
  EXPECT_EQ(rule.Format(100), "100.000000");
  EXPECT_EQ(rule.Format(std::numeric_limits<double>::denorm_min()), "0.0000000000000000");
  EXPECT_EQ(rule.Format(1e300), Printf("%.*f", 6, 1e300));
  EXPECT_EQ(Parse("").Format(1.25e-7), "0.0000001250000000");
  EXPECT_EQ(Parse("legacy").Format(1.25e-7), "0.0000001250000000");
}

TEST(NumberFormat, RuleAgainstItsDefinition) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 90));
    double fraction = value - std::trunc(value);
    int k = 0;
    while (fraction != 0 && fraction < 1) {
      fraction *= 10;
      ++k;
    }
    EXPECT_EQ(NumberFormat().Format(value), Printf("%.*f", k <= 6 ? 6 : 16, value));
  }
}

TEST(NumberFormat, SignificantDigitsPrintLikeC) {
  std::mt19937_64 random(1);
  for (int digits = 1; digits <= 17; ++digits) {
    const NumberFormat format = Parse(std::to_string(digits));
    for (int i = 0; i < 2000; ++i) {
      const double value = i % 2 ? RandomDouble(random) : std::ldexp(static_cast<double>(random() >> 11), -46);
      EXPECT_EQ(format.Format(value), Printf("%.*g", digits, value));
    }
  }
}

TEST(NumberFormat, EveryPrecisionReadsBackAsGoodAsItsDigits) {
  std::mt19937_64 random(4);
  for (int digits = 1; digits <= 17; ++digits) {
    const NumberFormat format = Parse(std::to_string(digits));
    for (int i = 0; i < 1000; ++i) {
      const double value = std::ldexp(static_cast<double>(random() >> 11), -46);
      const double read = std::strtod(format.Format(value).c_str(), nullptr);
      EXPECT_LE(std::fabs(read - value), std::fabs(value) * (0.5 * std::pow(10.0, 1 - digits) + 0x1p-52)) << digits;
    }
  }
}

TEST(NumberFormat, MaxReadsBackToTheSameBits) {
  std::mt19937_64 random(2);
  for (const char* name : {"max", "full", "17"}) {
    const NumberFormat format = Parse(name);
    for (int i = 0; i < 20000; ++i) {
      const double value = RandomDouble(random);
      EXPECT_EQ(std::strtod(format.Format(value).c_str(), nullptr), value);
    }
  }
}

TEST(NumberFormat, NotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* precision : {"", "5", "max"}) {
    const NumberFormat format = Parse(precision);
    EXPECT_EQ(format.Format(inf), "inf");
    EXPECT_EQ(format.Format(-inf), "-inf");
    EXPECT_EQ(format.Format(std::copysign(nan, 1.0)), "nan");
    EXPECT_EQ(format.Format(std::copysign(nan, -1.0)), "-nan");
    for (const double value : {inf, -inf, nan}) EXPECT_EQ(format.FormatJson(value), "null");
    EXPECT_EQ(format.FormatJson(1.5), format.Format(1.5));
  }
}

TEST(NumberFormat, RefusesOtherPrecisions) {
  for (const char* precision : {"0", "18", "-1", "x", "6x", " 6", "maximum", "1e1"}) {
    const Result<NumberFormat> format = NumberFormat::Parse(precision);
    ASSERT_FALSE(format.ok()) << precision;
    EXPECT_EQ(format.status().message(),
              fmt::format("precision '{}': expected 1 to 17 digits, max or legacy", precision));
  }
}

TEST(NumberFormat, IgnoresTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no de_DE.UTF-8 locale on this machine";
  const std::string fixed = NumberFormat().Format(1.5), general = Parse("max").Format(1.5);
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(fixed, "1.500000");
  EXPECT_EQ(general, "1.5");
}

}  // namespace
}  // namespace acutance
