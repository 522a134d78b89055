#include "stats/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace acutance {
namespace {

using testing::HasSubstr;

double Value(std::string_view name, const std::vector<double>& scores, const PoolContext& context = {}) {
  return *PoolScores(scores, *ParsePool(name), context);
}

std::vector<double> OneTo(int last) {
  std::vector<double> scores(static_cast<size_t>(last));
  std::iota(scores.begin(), scores.end(), 1.0);
  return scores;
}

TEST(Pool, NumpysPercentiles) {
  // numpy.percentile([1..200], [1, 5, 2.5, 50])
  const std::vector<double> scores = OneTo(200);
  EXPECT_DOUBLE_EQ(Value("p1", scores), 2.99);
  EXPECT_DOUBLE_EQ(Value("p5", scores), 10.95);
  EXPECT_DOUBLE_EQ(Value("p2.5", scores), 5.975);
  EXPECT_DOUBLE_EQ(Value("median", scores), 100.5);
  EXPECT_DOUBLE_EQ(Value("p0", scores), 1);
  EXPECT_DOUBLE_EQ(Value("p100", scores), 200);
}

TEST(Pool, MeansOfTheWorst) {
  const std::vector<double> scores = OneTo(250);
  EXPECT_DOUBLE_EQ(Value("worst_percent", scores), 1.5);  // two frames
  EXPECT_DOUBLE_EQ(Value("worst_percent", scores, {.higher_is_worse = true}), 249.5);
  EXPECT_DOUBLE_EQ(Value("worst_percent", {7, 3, 5}), 3);  // at least one
  EXPECT_DOUBLE_EQ(Value("worst_second", {9, 1, 9, 4, 4, 9}, {.scores_per_second = 2}), 4);
  EXPECT_DOUBLE_EQ(Value("worst_second", {9, 1, 9, 4, 4, 9}, {.scores_per_second = 1}), 1);
  EXPECT_DOUBLE_EQ(Value("worst_second", {9, 1, 9, 4, 4, 9}, {.higher_is_worse = true, .scores_per_second = 2}), 6.5);
  EXPECT_DOUBLE_EQ(Value("worst_second", {2, 4}, {.scores_per_second = 25}), 3);  // a clip of less than a second
  EXPECT_FALSE(PoolScores(std::vector<double>{1}, *ParsePool("worst_second"), {}));
  EXPECT_FALSE(PoolScores({}, *ParsePool("mean"), {}));
}

TEST(Pool, AnUnknownNameIsAnError) {
  for (const char* name : {"", "p", "p101", "p-1", "pfive", "p5 ", "perc5", "Mean", "p1e1"})
    EXPECT_FALSE(ParsePool(name).ok()) << name;
  EXPECT_THAT(ParsePool("meddian").status().message(), HasSubstr("did you mean 'median'"));
  for (const char* name : {"p5x", "perc5", "5", "p_5", "p5 "})
    EXPECT_THAT(ParsePool(name).status().message(), HasSubstr("did you mean 'p5'")) << name;
  EXPECT_EQ(ParsePool("p101").status().message().find("did you mean"), std::string::npos);
  EXPECT_FALSE(ParsePools("mean,perc5").ok());
  EXPECT_FALSE(ParsePools("mean,,p5").ok());
}

TEST(Pool, ListsOfNames) {
  const auto pools = ParsePools("p5,harmonic,p5");
  ASSERT_TRUE(pools.ok());
  ASSERT_EQ(pools->size(), 2u);
  EXPECT_EQ((*pools)[1].name, "harmonic_mean");
  EXPECT_EQ(UsualPools().size(), 10u);
}

}  // namespace
}  // namespace acutance
