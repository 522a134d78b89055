// The kernels' integer decoupling against the definition in doubles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "metric/adm/adm_math.h"

#define SCALE 1

namespace acutance::adm {
namespace {
#include "metric/adm/adm_decouple.kernel.h"
}  // namespace
}  // namespace acutance::adm

namespace acutance {
namespace {

using adm::AdmBands;

/// Floats must agree with the integers wherever they decide the angle themselves.
bool KernelFlag(int32_t oh, int32_t ov, int32_t th, int32_t tv) {
  const AdmBands o{{oh, ov, 0}}, t{{th, tv, 0}};
  const bool exact = adm::exactly_aligned(o, t);
  const int32_t estimate = adm::test_angle(o, t);
  EXPECT_TRUE(estimate == ALIGNED_MAYBE || (estimate == ALIGNED_YES) == exact);
  return exact;
}

adm::AdmGain KernelGain(double limit) {
  const adm::AdmGainBits bits = adm::MakeAdmGainBits(limit);
  return {static_cast<uint32_t>(bits.integer), bits.high, bits.low, bits.shift};
}

constexpr double kDegree = 3.14159265358979323846 / 180;

/// Pairs of vectors whose angle is 1 degree, as nearly as integers of that length allow, and their neighbours.
template <class Check>
void ForPairsNearOneDegree(int32_t length, int count, unsigned seed, Check check) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> angle(0, 360), size(0.3, 1);
  for (int i = 0; i < count; ++i) {
    const double a = angle(random) * kDegree, b = a + (i % 2 ? kDegree : -kDegree);
    const double o = size(random) * length, t = size(random) * length;
    const auto round = [](double x) { return static_cast<int32_t>(std::lround(x)); };
    const int32_t near = static_cast<int32_t>(i % 5) - 2;
    check(round(o * std::cos(a)), round(o * std::sin(a)), round(t * std::cos(b)), round(t * std::sin(b)) + near);
  }
}

TEST(AdmKernel, TestsTheAngleAsDoublesDo) {
  int flags = 0, count = 0;
  for (const int32_t length : {40, 300, 4000, 16000, 1 << 20, 1 << 26, 1500000000})
    ForPairsNearOneDegree(length, 100000, static_cast<unsigned>(length),
                          [&](int32_t oh, int32_t ov, int32_t th, int32_t tv) {
                            const bool flag = adm::AngleFlag(oh, ov, th, tv);
                            ASSERT_EQ(KernelFlag(oh, ov, th, tv), flag) << oh << " " << ov << " " << th << " " << tv;
                            flags += flag;
                            ++count;
                          });
  EXPECT_GT(flags, count / 5);
  EXPECT_LT(flags, count * 4 / 5);
}

// Far from one degree floats decide alone, without the slow integers.
TEST(AdmKernel, FloatsTellMostAngles) {
  std::mt19937 random(1);
  int unsure = 0;
  for (int i = 0; i < 100000; ++i) {
    const auto any = [&] { return static_cast<int32_t>(random() % 401) - 200; };
    const AdmBands o{{any(), any(), 0}}, t{{o.band[0] + any() / 20, o.band[1] + any() / 20, 0}};
    unsure += adm::test_angle(o, t) == ALIGNED_MAYBE;
    ASSERT_EQ(KernelFlag(o.band[0], o.band[1], t.band[0], t.band[1]),
              adm::AngleFlag(o.band[0], o.band[1], t.band[0], t.band[1]));
  }
  EXPECT_LT(unsure, 100);
}

TEST(AdmKernel, TestsSmallVectorsAsDoublesDo) {
  constexpr int kReach = 9;
  for (int oh = -kReach; oh <= kReach; ++oh)
    for (int ov = -kReach; ov <= kReach; ++ov)
      for (int th = -kReach; th <= kReach; ++th)
        for (int tv = -kReach; tv <= kReach; ++tv)
          ASSERT_EQ(KernelFlag(oh, ov, th, tv), adm::AngleFlag(oh, ov, th, tv))
              << oh << " " << ov << " " << th << " " << tv;
}

// The rounded right side may fall on the left one from above: squares and products that nearly agree, of numbers that
// fill a float's 24 bits or are rounded to them, on both sides of a tie.
TEST(AdmKernel, ComparesSquaresAsDoublesDo) {
  std::mt19937_64 random(5);
  int close = 0;
  for (int i = 0; i < 300000; ++i) {
    const uint64_t o = random() >> (1 + i % 40), t = random() >> (1 + i / 40 % 40);
    const double root = std::sqrt(adm::kCosSquared * static_cast<double>(o | 1) * static_cast<double>(t | 1));
    if (root > 9e18) continue;
    const uint64_t middle = static_cast<uint64_t>(root);
    const uint64_t step = std::max<uint64_t>(middle >> 25, 1);  // half a unit of a float's last place
    for (int k = -3; k <= 3; ++k) {
      const int64_t dot = std::max<int64_t>(static_cast<int64_t>(middle + k * step), 1);
      const bool flag = adm::AngleFlag(dot, static_cast<int64_t>(o | 1), static_cast<int64_t>(t | 1));
      ASSERT_EQ(adm::exactly_within_angle(static_cast<uint64_t>(dot), o | 1, t | 1), flag)
          << dot << " " << (o | 1) << " " << (t | 1);
      close += flag != (k > 0);
    }
  }
  EXPECT_GT(close, 1000);
}

TEST(AdmKernel, RestoresAsTheDefinition) {
  std::mt19937 random(9);
  const adm::AdmGain none = KernelGain(1);
  for (int i = 0; i < 500000; ++i) {
    const int bits = 1 + i % 31;
    const int32_t o = static_cast<int32_t>(random() >> (32 - bits)) * (i % 3 ? 1 : -1);
    const int32_t spread = std::max(std::abs(o) >> (i % 17), 4);
    const int32_t t = static_cast<int32_t>(std::clamp<int64_t>(
        int64_t{o} + static_cast<int64_t>(random() % (2u * spread + 1)) - spread, -2147483647, 2147483647));
    const int32_t want = adm::Restore(adm::Ratio(o, t), o, t, false, 1);
    ASSERT_EQ(adm::restore(o, t, false, none), want) << o << " " << t;
    ASSERT_EQ(adm::restore_fast(o, t, false, 100), want) << o << " " << t;
    if (std::abs(o) > 22929 || std::abs(t) > 22929) continue;
    const int32_t r = adm::Restore(adm::Ratio0(o, t), o, t, false, 1);
    const uint32_t found =
        (o ^ t) < 0 ? 0
                    : adm::explained_16(static_cast<uint32_t>(std::abs(o)), static_cast<uint32_t>(std::abs(t)), o < 0);
    ASSERT_EQ(static_cast<int32_t>(found), std::abs(r)) << o << " " << t;
  }
}

TEST(AdmKernel, RaisesAsDoublesDo) {
  std::mt19937 random(3);
  std::vector<double> limits = {1,
                                2,
                                7,
                                64,
                                100,
                                1.2,
                                1.5,
                                99.99,
                                1.000001,
                                std::nextafter(1.0, 2.0),
                                4.0 / 3,
                                std::nextafter(2.0, 1.0),
                                std::nextafter(100.0, 1.0),
                                1.0 + 0x1p-20,
                                10.0 / 3};
  for (const double limit : limits) {
    const adm::AdmGain gain = KernelGain(limit);
    for (int i = 0; i < 20000; ++i) {
      // Multiples of 3 and 5 times thirds and fifths come close to integers.
      const int32_t o = static_cast<int32_t>((random() >> (1 + i % 31)) / 15 * 15 + i % 2);
      const int64_t around = static_cast<int64_t>(o * limit) + i % 5 - 2;
      const int32_t t = static_cast<int32_t>(std::clamp<int64_t>(i % 3 ? around : o, 0, 2147483647));
      const int64_t k = adm::Ratio(o, t);
      ASSERT_EQ(adm::restore(o, t, true, gain), adm::Restore(k, o, t, true, limit)) << limit << " " << o;
      ASSERT_EQ(adm::restore(-o, -t, true, gain), adm::Restore(k, -o, -t, true, limit)) << limit << " " << o;
    }
  }
}

}  // namespace
}  // namespace acutance
