// The exact functions against known digests of glibc's results and correctly rounded values, and the same source
// without the FMA instruction, division and square root of the processor.
#include "math/exact_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "math/exact_tables.h"
#include "math/exact_words.h"

namespace acutance {
namespace {

namespace portable {
#include "math/exact_functions.h"
}  // namespace portable

constexpr ConstBuffer<uint64_t> kTable = {kExactTable};
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool Same(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// A function of the public header, and its portable build.
struct Pair {
  std::string_view name;
  std::function<double(double, double)> fast;
  std::function<double(double, double)> portable;
};

template <auto fast, auto portable>
Pair One(std::string_view name) {
  return {name, [](double x, double) { return fast(x); }, [](double x, double) { return portable(kTable, x); }};
}
template <auto fast, auto portable>
Pair Two(std::string_view name) {
  return {name, [](double x, double y) { return fast(x, y); },
          [](double x, double y) { return portable(kTable, x, y); }};
}

const std::vector<Pair>& Pairs() {
  static const std::vector<Pair> pairs = {
      One<Exp, portable::exact_exp>("Exp"),
      One<Log, portable::exact_log>("Log"),
      One<Log2, portable::exact_log2>("Log2"),
      One<Log10, portable::exact_log10>("Log10"),
      One<Sin, portable::exact_sin>("Sin"),
      One<Cos, portable::exact_cos>("Cos"),
      Two<Pow, portable::exact_pow>("Pow"),
      Two<Atan2, portable::exact_atan2>("Atan2"),
      Two<Powf, portable::exact_powf>("Powf"),
      One<Log2f, portable::exact_log2f>("Log2f"),
      {"Cbrt", [](double x, double) { return Cbrt(x); }, [](double x, double) { return portable::exact_cbrt(x); }},
  };
  return pairs;
}

const Pair& Find(std::string_view name) {
  return *std::find_if(Pairs().begin(), Pairs().end(), [&](const Pair& pair) { return pair.name == name; });
}

uint32_t Crc32(uint32_t crc, uint64_t value, int bytes) {
  crc = ~crc;
  for (int bit = 0; bit < 8 * bytes; ++bit) crc = (crc >> 1) ^ (((crc ^ (value >> bit)) & 1) != 0 ? 0xedb88320u : 0u);
  return ~crc;
}

/// splitmix64.
class Stream {
 public:
  explicit Stream(uint64_t state) : state_(state) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

enum class Inputs { kExp50, kExpFull, kWide, kNear1, kPow, kPowf, kCircle, kPlane };

double DrawX(Stream& stream, Inputs inputs) {
  switch (inputs) {
    case Inputs::kExp50:
      return -50.0 + 100.0 * stream.Unit();
    case Inputs::kExpFull:
      return -760.0 + 1480.0 * stream.Unit();
    case Inputs::kWide:
      return std::bit_cast<double>(0x3b00000000000000 + stream.Next() % 0x0a00000000000000);
    case Inputs::kNear1:
      return std::bit_cast<double>(0x3fe0000000000000 + (stream.Next() >> 11));
    case Inputs::kPow:
      return std::bit_cast<double>(0x3ee0000000000000 + stream.Next() % 0x0260000000000000);
    case Inputs::kPowf:
      return std::bit_cast<float>(static_cast<uint32_t>(0x39000000 + stream.Next() % 0x10000000));
    default:
      return -128.0 + 256.0 * stream.Unit();
  }
}

struct Digest {
  std::string_view function;
  Inputs inputs;
  double exponent;  // NaN: drawn
  uint32_t crc;
};

/// The first 18 are of what glibc 2.36 returns; of the rest, this source is the definition.
constexpr Digest kDigests[] = {
    {"Exp", Inputs::kExp50, 0, 0x4eed1db3},    {"Exp", Inputs::kExpFull, 0, 0xfcf4d06e},
    {"Log", Inputs::kWide, 0, 0xfed167f2},     {"Log", Inputs::kNear1, 0, 0x75de82ed},
    {"Log2", Inputs::kWide, 0, 0x62f258ce},    {"Log2", Inputs::kNear1, 0, 0xe8e901c9},
    {"Log10", Inputs::kWide, 0, 0x2ee54c68},   {"Log10", Inputs::kNear1, 0, 0x0e329a55},
    {"Pow", Inputs::kPow, kNan, 0xb7bcf37f},   {"Pow", Inputs::kPow, 1.0 / 3, 0xbf6d0bbe},
    {"Pow", Inputs::kPow, 2.4, 0xfcde9656},    {"Pow", Inputs::kPow, 3, 0x56318323},
    {"Pow", Inputs::kPow, 0.8, 0xb252e8c6},    {"Pow", Inputs::kPow, -1, 0xe408ef82},
    {"Powf", Inputs::kPowf, kNan, 0xe5608b32}, {"Powf", Inputs::kPowf, 1.0 / 3, 0x05ddece3},
    {"Powf", Inputs::kPowf, 2.4, 0x70b3f15e},  {"Log2f", Inputs::kPowf, 0, 0xe642af3b},
    {"Cbrt", Inputs::kWide, 0, 0x57531351},    {"Sin", Inputs::kCircle, 0, 0xa933ccdb},
    {"Cos", Inputs::kCircle, 0, 0xf0d9885f},   {"Atan2", Inputs::kPlane, kNan, 0x69d67af4},
};

class Digests : public testing::TestWithParam<Digest> {};

TEST_P(Digests, AreTheSameEverywhere) {
  const Digest& digest = GetParam();
  const Pair& pair = Find(digest.function);
  const int bytes = digest.inputs == Inputs::kPowf ? 4 : 8;
  const auto bits = [&](double value) -> uint64_t {
    return bytes == 4 ? std::bit_cast<uint32_t>(static_cast<float>(value)) : std::bit_cast<uint64_t>(value);
  };
  Stream stream(0x6d617468);
  uint32_t fast = 0, portable = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double x = DrawX(stream, digest.inputs);
    double y = digest.exponent;
    if (std::isnan(y)) {
      if (digest.inputs == Inputs::kPlane) y = DrawX(stream, digest.inputs);
      else y = bytes == 4 ? static_cast<float>(-6.0 + 12.0 * stream.Unit()) : -10.0 + 20.0 * stream.Unit();
    }
    fast = Crc32(fast, bits(pair.fast(x, y)), bytes);
    portable = Crc32(portable, bits(pair.portable(x, y)), bytes);
  }
  EXPECT_EQ(fast, digest.crc);
  EXPECT_EQ(portable, digest.crc) << "without the FMA instruction";
}

INSTANTIATE_TEST_SUITE_P(All, Digests, testing::ValuesIn(kDigests));

TEST(ExactMath, CorrectlyRounded) {
  const struct {
    std::string_view function;
    double x, y, result;
  } samples[] = {// clang-format off
      {"Cbrt", 0x1p+1, 0, 0x1.428a2f98d728bp+0}, {"Cbrt", 0x1.bp+4, 0, 0x1.8p+1},
      {"Cbrt", 0x1.0624dd2f1a9fcp-10, 0, 0x1.999999999999ap-4},
      {"Cbrt", 0x1.7e43c8800759cp+996, 0, 0x1.249ad2594c37dp+332}, {"Cbrt", 0x0.0000000000001p-1022, 0, 0x1p-358},
      {"Cbrt", -0x1.cp+1, 0, -0x1.84aef28accd48p+0}, {"Cbrt", 0x1.b53a3645949e7p-53, 0, 0x1.818aeb2aaf3f9p-18},
      {"Cbrt", 0x1.c28f984e7bb69p+8, 0, 0x1.eaa4483015374p+2}, {"Cbrt", 0x1.0e99ed70d7d41p-26, 0, 0x1.488f1521a1944p-9},
      {"Cbrt", 0x1.a39b4dc2785e4p+20, 0, 0x1.df235ea275c97p+6},
      {"Sin", 0x1.12e0be826d695p-30, 0, 0x1.12e0be826d695p-30}, {"Sin", 0x1p-1, 0, 0x1.eaee8744b05fp-2},
      {"Sin", 0x1.921fb54442d18p-1, 0, 0x1.6a09e667f3bccp-1}, {"Sin", 0x1.921fb54442d18p+0, 0, 0x1p+0},
      {"Sin", 0x1.921fb54442d18p+1, 0, 0x1.1a62633145c07p-53}, {"Sin", -0x1.6p+4, 0, 0x1.220a29f6eb9f4p-7},
      {"Sin", 0x1.63p+8, 0, -0x1.f9bd0307d1de3p-16}, {"Sin", 0x1.ffffep+19, 0, -0x1.3b32b2ca06654p-1},
      {"Sin", 0x1.e2c41676cf1a8p+2, 0, 0x1.e779b49d50425p-1}, {"Sin", -0x1.a117a0a753fb9p+4, 0, -0x1.9c1d6e396a5e8p-1},
      {"Cos", 0x1.12e0be826d695p-30, 0, 0x1p+0}, {"Cos", 0x1p-1, 0, 0x1.c1528065b7d5p-1},
      {"Cos", 0x1.921fb54442d18p-1, 0, 0x1.6a09e667f3bcdp-1}, {"Cos", 0x1.921fb54442d18p+0, 0, 0x1.1a62633145c07p-54},
      {"Cos", 0x1.921fb54442d18p+1, 0, -0x1p+0}, {"Cos", -0x1.6p+4, 0, -0x1.fffadd8d4acdap-1},
      {"Cos", 0x1.63p+8, 0, -0x1.fffffffc18e4cp-1}, {"Cos", 0x1.ffffep+19, 0, 0x1.937a45bd49642p-1},
      {"Cos", -0x1.d35bd59af1195p+4, 0, -0x1.2fcb16f96756cp-1}, {"Cos", 0x1.43f866d04ed14p+4, 0, 0x1.5ef0a6169c739p-3},
      {"Atan2", 0x1p+0, 0x1p+0, 0x1.921fb54442d18p-1}, {"Atan2", 0x1p+0, -0x1.56e1fc2f8f359p-997, 0x1.921fb54442d18p+0},
      {"Atan2", -0x0.0000000000001p-1022, 0x1.8p+1, -0.0}, {"Atan2", 0x1.4p+1, -0x1.4p+1, 0x1.2d97c7f3321d2p+1},
      {"Atan2", 0x1.7e43c8800759cp+996, 0x1.4f8b588e368f1p-17, 0x1.921fb54442d18p+0},
      {"Atan2", -0x1p-6, 0x1p+0, -0x1.fff555bbb729bp-7}, {"Atan2", 0x1.00006b5fca6afp-6, 0x1p+0, 0x1.fff62c6de0d75p-7},
      {"Atan2", 0x1.8p+1, 0x1p+2, 0x1.4978fa3269ee1p-1},
      {"Atan2", -0x1.ecd7cd72ffc74p+5, -0x1.100b8b6774eep+6, -0x1.33e9ebe4d5f66p+1},
      {"Atan2", 0x1.fb8a51dbcb81cp+6, -0x1.e733e3ac15e4p+2, 0x1.a176debf59a4bp+0},
      {"Atan2", 0x1.588959c65a506p+6, -0x1.836dd4d2ab1cp+2, 0x1.a416125a517aep+0},
      {"Atan2", 0x1.1ccfc1dc6bf1cp+5, -0x1.65c4cee250614p+6, 0x1.61a2b82d6412fp+1}};
  // clang-format on
  for (const auto& sample : samples)
    EXPECT_TRUE(Same(Find(sample.function).fast(sample.x, sample.y), sample.result))
        << sample.function << " " << sample.x << " " << sample.y;
}

// clang-format off
const double kSpecials[] = {
    0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1.5, kInf, -kInf, kNan, 0x1p-1074, -0x1p-1074, 0x1.8p-1060,
    0x1p-1022, 0x1.fffffffffffffp-1023, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023, 0x1p-54, -0x1p-55, 0x1p9,
    -0x1p10, 0x1p52, 0x1p53, 0x1p63, -0x1p63, 0x1p64, 0x1p-65, 0x1p-66, 0x1.ep-1, 0x1.109p0, 0x1.fffffffffffffp-1,
    0x1.0000000000001p0, 709.782712893384, 709.7827128933841, -708.5, -745.1332191019411, -745.1332191019412, 1075.0,
    -1075.0, 128.0, -149.5, -150.0, 1e22, 1e-300, 1e300};
// clang-format on

/// Patterns of all kinds: any, near 1, subnormal, short mantissas, extreme exponents.
double Any(std::mt19937_64& random) {
  const uint64_t bits = random(), sign = random() << 63;
  switch (random() % 6) {
    case 0:
      return kSpecials[bits % std::size(kSpecials)];
    case 1:
      return std::bit_cast<double>(sign | (bits >> (12 + bits % 52)));
    case 2:
      return std::bit_cast<double>(sign | (0x3ff0000000000000 + (bits >> 12 << (bits % 52)) % (1ull << 53)));
    case 3:
      return std::ldexp(static_cast<double>(bits >> 40), static_cast<int>(random() % 120) - 60);
    default:
      return std::bit_cast<double>(bits);
  }
}

TEST(ExactMath, TheInstructionSetDoesNotShow) {
  std::mt19937_64 random(1);
  for (const Pair& pair : Pairs())
    for (int i = 0; i < 200'000; ++i) {
      const double x = Any(random), y = Any(random);
      ASSERT_TRUE(Same(pair.fast(x, y), pair.portable(x, y))) << pair.name << std::hexfloat << " " << x << " " << y;
    }
}

TEST(ExactMath, SpecialValues) {
  EXPECT_TRUE(Same(Exp(-kInf), 0.0) && Same(Exp(kInf), kInf) && std::isnan(Exp(kNan)));
  EXPECT_TRUE(Same(Exp(-745.1332191019411), 0x1p-1074) && Same(Exp(-745.1332191019412), 0.0));
  for (const char* name : {"Log", "Log2", "Log10", "Log2f"}) {
    const auto& f = Find(name).fast;
    EXPECT_TRUE(Same(f(0.0, 0), -kInf) && Same(f(-0.0, 0), -kInf) && Same(f(kInf, 0), kInf) && Same(f(1.0, 0), 0.0));
    EXPECT_TRUE(std::isnan(f(-1.0, 0)) && std::isnan(f(-kInf, 0)) && std::isnan(f(kNan, 0))) << name;
  }
  for (int n = -307; n <= 308; ++n) EXPECT_EQ(Log10(std::stod("1e" + std::to_string(n))), n);
  for (int n = -1074; n <= 1023; ++n) EXPECT_EQ(Log2(std::ldexp(1.0, n)), n);
  EXPECT_TRUE(Same(Pow(-0x1p-1074, 3), -0.0) && Same(Pow(kNan, 0), 1.0) && Same(Pow(1.0, kNan), 1.0));
  EXPECT_TRUE(Same(Pow(-0.0, -3), -kInf) && Same(Pow(-kInf, 3), -kInf) && Same(Pow(-1.0, kInf), 1.0));
  EXPECT_TRUE(std::isnan(Pow(-2.0, 0.5)) && Same(Powf(2.0f, -149.5f), 0x1p-149) &&
              Same(Powf(25.0f, 7.0f), 0x1.6bcc42p+32));
  EXPECT_TRUE(std::isnan(Sin(kInf)) && std::isnan(Cos(0x1.0000000000001p20)) && Same(Sin(-0.0), -0.0));
  EXPECT_TRUE(Same(Atan2(0.0, -0.0), 0x1.921fb54442d18p+1) && Same(Atan2(-0.0, 0.0), -0.0));
  EXPECT_TRUE(Same(Atan2(kInf, -kInf), 0x1.2d97c7f3321d2p+1) && Same(Atan2(-1.0, kInf), -0.0));
}

TEST(ExactMath, ManyAtOnce) {
  std::mt19937_64 random(2);
  std::vector<double> x(1000), expected;
  for (double& value : x) expected.push_back(Exp(value = Any(random)));
  ExpAll(x);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(Same(x[i], expected[i]));
}

TEST(ExactArithmetic, FusedMultiplyAdd) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2'000'000; ++i) {
    double a = Any(random), b = Any(random), c = Any(random);
    if (i % 3 == 0) c = -(a * b) * (1 + static_cast<double>(random() % 5) * 0x1p-52);  // cancels
    ASSERT_TRUE(Same(portable::exact_fma(a, b, c), std::fma(a, b, c))) << std::hexfloat << a << " " << b << " " << c;
  }
}

TEST(ExactArithmetic, Doubles) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1'000'000; ++i) {
    double a = Any(random), b = Any(random);
    if (i % 4 == 0) a = b * static_cast<double>(random() % 9);  // near or at representable quotients
    ASSERT_TRUE(Same(portable::exact_divide(a, b), a / b)) << std::hexfloat << a << " " << b;
    if (i % 4 == 1) a = b * b * (1 + static_cast<double>(random() % 3) * 0x1p-52);
    ASSERT_TRUE(Same(portable::exact_sqrt(a), std::sqrt(a))) << std::hexfloat << a;
  }
}

TEST(ExactArithmetic, Floats) {
  std::mt19937_64 random(5);
  const auto any = [&] {
    return random() % 2 ? static_cast<float>(Any(random)) : std::bit_cast<float>(static_cast<uint32_t>(random()));
  };
  for (int i = 0; i < 1'000'000; ++i) {
    float a = any(), b = any();
    if (i % 4 == 0) a = b * static_cast<float>(random() % 9);
    ASSERT_TRUE(Same(portable::exact_divide_float(a, b), a / b)) << std::hexfloat << a << " " << b;
    if (i % 4 == 1) a = b * b * (1 + static_cast<float>(random() % 3) * 0x1p-23f);
    ASSERT_TRUE(Same(portable::exact_sqrt_float(a), std::sqrt(a))) << std::hexfloat << a;
  }
}

}  // namespace
}  // namespace acutance
