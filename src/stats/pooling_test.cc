#include "stats/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "stats/statistics.h"

namespace acutance {
namespace {

ScoreTable::Column MakeColumn(int count, uint32_t seed) {
  std::mt19937 random(seed);
  ScoreTable::Column column{{}, "s", "s", {}};
  for (int i = 0; i < count; ++i) column.scores.emplace_back(std::ldexp(static_cast<double>(random()), -25));
  return column;
}

/// Pooling as its definition says, frame by frame.
double BruteForce(const ScoreTable::Column& column, const FrameRange& range, Pooling method) {
  double sum = 0, inverse = 0, count = 0, min = 0, max = 0;
  for (int64_t i = range.low; i <= range.high; ++i) {
    if (range.n_subsample > 1 && i % range.n_subsample != 0) continue;
    const double s = *column.scores[i];
    if (count == 0 || s < min) min = s;
    if (count == 0 || s > max) max = s;
    sum += s;
    inverse += 1. / (s + 1.);
    count += 1;
  }
  if (method == Pooling::kMin) return min;
  if (method == Pooling::kMax) return max;
  return method == Pooling::kMean ? sum / count : count / inverse - 1.;
}

TEST(Pooling, AClipsOwnMeanStandsForThatOfAllItsFrames) {
  ScoreTable::Column column = MakeColumn(9, 3);
  const double mean = *Pool(column, {0, 8}, Pooling::kMean);
  column.clip_mean = -1;
  EXPECT_EQ(Pool(column, {0, 8}, Pooling::kMean), -1);
  EXPECT_EQ(Pool(column, {0, 8, 4}, Pooling::kMean), -1);
  EXPECT_EQ(Pool(column, {0, 8}, Pooling::kMin), BruteForce(column, {0, 8}, Pooling::kMin));
  EXPECT_EQ(Pool(column, {0, 7}, Pooling::kMean), BruteForce(column, {0, 7}, Pooling::kMean));
  EXPECT_EQ(Pool(column, {1, 8}, Pooling::kMean), BruteForce(column, {1, 8}, Pooling::kMean));
  EXPECT_EQ(Pool(column, {0, 9}, Pooling::kMean), std::nullopt);  // a frame is missing
  column.clip_mean.reset();
  EXPECT_EQ(Pool(column, {0, 8}, Pooling::kMean), mean);
}

TEST(Pooling, EqualsBruteForce) {
  const ScoreTable::Column column = MakeColumn(97, 1);
  for (int low : {0, 1, 5, 90}) {
    for (int high : {low + 6, 96}) {
      for (int n : {0, 1, 2, 3, 7}) {
        for (const auto& [name, method, pool] : PoolingMethods()) {
          const FrameRange range{low, high, n};
          EXPECT_EQ(Pool(column, range, method), BruteForce(column, range, method)) << name << low << high << n;
        }
      }
    }
  }
}

TEST(Pooling, KnownAnswers) {
  const ScoreTable::Column column{{}, "s", "s", {1.0, 3.0, 8.0}};
  EXPECT_EQ(Pool(column, {0, 2}, Pooling::kMin), 1.0);
  EXPECT_EQ(Pool(column, {0, 2}, Pooling::kMax), 8.0);
  EXPECT_EQ(Pool(column, {0, 2}, Pooling::kMean), 4.0);
  EXPECT_DOUBLE_EQ(*Pool(column, {0, 1}, Pooling::kHarmonicMean), 2.0 / (0.5 + 0.25) - 1);
}

/// libvmaf starts min and max at zero when the first frame is not in the range; acutance does
/// not.
TEST(Pooling, MinAndMaxComeFromTheFramesThatTakePart) {
  const ScoreTable::Column column{{}, "s", "s", {5.0, 6.0, 7.0, 9.0, -3.0}};
  EXPECT_EQ(Pool(column, {1, 3, 2}, Pooling::kMin), 7.0);
  const ScoreTable::Column negative{{}, "s", "s", {-5.0, -6.0, -7.0}};
  EXPECT_EQ(Pool(negative, {1, 2, 2}, Pooling::kMax), -7.0);
}

TEST(Pooling, NothingToPoolIsNoValue) {
  const ScoreTable::Column column{{}, "s", "s", {1.0, std::nullopt, 3.0}};
  EXPECT_EQ(Pool(column, {0, 2}, Pooling::kMean), std::nullopt);
  EXPECT_EQ(Pool(column, {0, 3, 3}, Pooling::kMean), std::nullopt);
  EXPECT_EQ(Pool(column, {2, 1}, Pooling::kMean), std::nullopt);
  EXPECT_EQ(Pool(column, {-1, 0}, Pooling::kMean), std::nullopt);
  EXPECT_EQ(Pool(column, {1, 1, 2}, Pooling::kMean), std::nullopt);
  EXPECT_EQ(Pool(column, {0, 2, 2}, Pooling::kMean), 2.0);
}

TEST(Statistics, PercentilesInterpolate) {
  const std::vector<double> sorted = {0, 10, 20, 40};
  EXPECT_EQ(Percentile(sorted, 0), 0);
  EXPECT_EQ(Percentile(sorted, 100), 40);
  EXPECT_EQ(Percentile(sorted, 50), 15);
  EXPECT_DOUBLE_EQ(Percentile(sorted, 90), 34);
  EXPECT_EQ(Percentile(std::vector<double>{7}, 2.5), 7);
}

TEST(Statistics, StandardDeviationIsOfThePopulation) {
  EXPECT_DOUBLE_EQ(StandardDeviation(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}), 2);
  EXPECT_EQ(StandardDeviation(std::vector<double>{3}), 0);
}

TEST(Statistics, NothingAndNanGiveNan) {
  for (auto* function : {Mean, HarmonicMean, Minimum, Maximum, StandardDeviation})
    EXPECT_TRUE(std::isnan(function(std::span<const double>())));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> sorted = Sorted(std::vector<double>{3, nan, 1, nan, 2});
  EXPECT_EQ(sorted[0], 1);
  EXPECT_EQ(sorted[2], 3);
  EXPECT_TRUE(std::isnan(Percentile(sorted, 0)));
  EXPECT_TRUE(std::isnan(Percentile({}, 50)));
}

}  // namespace
}  // namespace acutance
