#include "stats/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "stats/statistics.h"

namespace acutance {
namespace {

/// About normal: the sum of twelve uniform numbers.
double Normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.Uniform();
  return sum;
}

/// Each frame is like the one before: x' = 0.9 x + noise.
std::vector<double> Correlated(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<double> scores;
  double x = Normal(random) / std::sqrt(1 - 0.81);
  for (size_t i = 0; i < count; ++i) {
    scores.push_back(90 + x);
    x = 0.9 * x + Normal(random);
  }
  return scores;
}

TEST(Bootstrap, BlocksHaveTwoSeconds) {
  EXPECT_EQ(BlockLength(1000, 25), 50u);
  EXPECT_EQ(BlockLength(1000, 59.94), 100u);  // a tenth at most
  EXPECT_EQ(BlockLength(1000, std::nullopt), 50u);
  EXPECT_EQ(BlockLength(5, 25), 1u);
  EXPECT_EQ(BlockLength(100000, 0.1), 1u);
}

TEST(Bootstrap, TheSameEachTime) {
  const std::vector<double> scores = Correlated(500, 1);
  const auto a = MeanInterval(scores, 50, {}), b = MeanInterval(scores, 50, {});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->low, b->low);
  EXPECT_EQ(a->high, b->high);
  EXPECT_LT(a->low, Mean(scores));
  EXPECT_GT(a->high, Mean(scores));
}

TEST(Bootstrap, HoldsTheMeanAsOftenAsItSays) {
  int held = 0, single = 0;
  constexpr int kSeries = 300;
  for (int i = 0; i < kSeries; ++i) {
    const std::vector<double> scores = Correlated(1000, 100 + static_cast<uint64_t>(i));
    const auto interval = MeanInterval(scores, 50, {.resamples = 300});
    held += interval->low <= 90 && 90 <= interval->high;
    const auto frames = MeanInterval(scores, 1, {.resamples = 300});
    single += frames->low <= 90 && 90 <= frames->high;
  }
  EXPECT_GE(held, kSeries * 88 / 100);  // 95 % stated
  EXPECT_LE(held, kSeries * 99 / 100);
  EXPECT_LT(single, kSeries * 60 / 100);  // frames drawn one by one are too sure
}

TEST(Bootstrap, PairsShowSmallDifferences) {
  const std::vector<double> a = Correlated(600, 3);
  std::vector<double> b = a;
  Random random(4);
  for (double& score : b) score += 0.1 + 0.05 * Normal(random);
  const auto difference = DifferenceInterval(b, a, 50, {});
  EXPECT_GT(difference->low, 0.08);
  EXPECT_LT(difference->high, 0.12);
}

TEST(Bootstrap, NothingWithoutTwoBlocksOrWithInfinity) {
  EXPECT_FALSE(MeanInterval(std::vector<double>{1}, 1, {}));
  EXPECT_FALSE(MeanInterval(std::vector<double>{1, 2, 3}, 2, {}));
  EXPECT_FALSE(MeanInterval(std::vector<double>{1, std::numeric_limits<double>::infinity(), 3}, 1, {}));
  const auto flat = MeanInterval(std::vector<double>(20, 7.25), 2, {});
  EXPECT_EQ(flat->low, 7.25);
  EXPECT_EQ(flat->high, 7.25);
}

TEST(Bootstrap, BlocksGoRoundTheEnd) {
  Random random(9);
  for (int i = 0; i < 100; ++i) {
    size_t drawn = 0;
    DrawBlocks(17, 5, random, [&](size_t begin, size_t end) {
      ASSERT_LT(begin, end);
      ASSERT_LE(end, 17u);
      drawn += end - begin;
    });
    ASSERT_EQ(drawn, 17u);
  }
}

TEST(Random, OrdersAreOfAllItems) {
  Random random(5);
  std::vector<int> first(10);
  for (int i = 0; i < 10000; ++i) {
    std::vector<bool> seen(10);
    const auto order = RandomOrder(10, random);
    for (const size_t item : order) seen[item] = true;
    ASSERT_EQ(seen, std::vector<bool>(10, true));
    ++first[order[0]];
  }
  for (const int count : first) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace acutance
