#include "stats/mean_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

double StandardNormal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.Uniform();
  return sum;
}

/// A made-up encode by parts of a second: scenes with levels of their own, parts in a row that are alike, and now and
/// then a scene that is very bad.
std::vector<double> MadeUpSeries(size_t parts, double level, Random& random) {
  std::vector<double> scores;
  const double spread = 1 + 5 * random.Uniform(), noise = 3 * random.Uniform(), rare = 0.06 * random.Uniform();
  while (scores.size() < parts) {
    const size_t length = 1 + random.Below(20);
    const bool is_bad = random.Uniform() < rare;
    const double scene = is_bad ? 60 * random.Uniform() : level + spread * StandardNormal(random);
    double wander = 0;
    for (size_t i = 0; i < length && scores.size() < parts; ++i) {
      wander = 0.8 * wander + noise * StandardNormal(random);
      scores.push_back(std::clamp(scene + wander, 0.0, 100.0));
    }
  }
  return scores;
}

struct Outcome {
  MeanTest test;
  bool is_wrong;
};

Outcome RunTest(const std::vector<double>& scores, const MeanTest::Options& options, Random& random) {
  MeanTest test(options, scores.size());
  for (const size_t part : RandomOrder(scores.size(), random)) {
    if (test.verdict() != MeanTest::Verdict::kOpen) break;
    test.Add(scores[part]);
  }
  const double mean = Mean(scores);
  const bool is_wrong =
      std::abs(mean - options.bound) > 1e-9 && (test.verdict() == MeanTest::Verdict::kAbove) != (mean >= options.bound);
  return {test, is_wrong};
}

// The bound lies as near to the mean as it can, where errors are likeliest.
TEST(MeanTest, ErrsNoMoreOftenThanItSays) {
  for (const double confidence : {0.999, 0.9}) {
    Random random(7);
    constexpr int kSeries = 10000;
    int wrong = 0, early = 0;
    for (int i = 0; i < kSeries; ++i) {
      const std::vector<double> scores = MadeUpSeries(100 + random.Below(200), 60 + 40 * random.Uniform(), random);
      const double margin = (random.Uniform() - 0.5) * 0.2;
      const Outcome outcome = RunTest(scores, {.bound = Mean(scores) + margin, .confidence = confidence}, random);
      ASSERT_NE(outcome.test.verdict(), MeanTest::Verdict::kOpen);
      wrong += outcome.is_wrong;
      early += outcome.test.added() < scores.size();
    }
    EXPECT_LE(wrong, kSeries * (1 - confidence)) << confidence;
    EXPECT_GT(early, kSeries / 100) << "the test would say nothing of an early verdict";
  }
}

TEST(MeanTest, ReadsLessThanHalfWhereTheMarginIsFivePoints) {
  Random random(11);
  constexpr size_t kParts = 600;  // ten minutes
  std::vector<double> read;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> scores = MadeUpSeries(kParts, 65 + 35 * random.Uniform(), random);
    const double mean = Mean(scores);
    const double bound = mean + 5 > 100 || i % 2 == 0 ? mean - 5 : mean + 5;
    const Outcome outcome = RunTest(scores, {.bound = bound}, random);
    EXPECT_FALSE(outcome.is_wrong);
    read.push_back(static_cast<double>(outcome.test.added()) / kParts);
  }
  EXPECT_LT(Mean(read), 0.25);
  EXPECT_LT(Percentile(Sorted(read), 95), 0.5);  // some series have many bad scenes
}

TEST(MeanTest, ACertainVerdictHoldsForAnyRest) {
  MeanTest test({.bound = 50, .certain = true}, 4);
  test.Add(100);
  EXPECT_EQ(test.verdict(), MeanTest::Verdict::kOpen);
  test.Add(90);
  EXPECT_EQ(test.verdict(), MeanTest::Verdict::kOpen);  // 190 of 200
  EXPECT_DOUBLE_EQ(test.Bounds().low, 47.5);
  EXPECT_DOUBLE_EQ(test.Bounds().high, 97.5);
  test.Add(10);
  EXPECT_EQ(test.verdict(), MeanTest::Verdict::kAbove);
  EXPECT_TRUE(test.is_certain());
  MeanTest below({.bound = 95, .certain = true}, 10);
  below.Add(40);
  EXPECT_EQ(below.verdict(), MeanTest::Verdict::kBelow);
  EXPECT_DOUBLE_EQ(below.mean(), 40);
}

TEST(MeanTest, NothingIsAskedOfBoundsOutsideTheRange) {
  EXPECT_EQ(MeanTest({.bound = -1}, 10).verdict(), MeanTest::Verdict::kAbove);
  EXPECT_EQ(MeanTest({.bound = 101}, 10).verdict(), MeanTest::Verdict::kBelow);
}

TEST(MeanTest, OtherRanges) {
  MeanTest test({.bound = 105, .least = 0, .most = 110}, 2);
  test.Add(110);
  EXPECT_EQ(test.verdict(), MeanTest::Verdict::kOpen);
  test.Add(99);
  EXPECT_EQ(test.verdict(), MeanTest::Verdict::kBelow);
  EXPECT_DOUBLE_EQ(test.mean(), 104.5);
}

}  // namespace
}  // namespace acutance
