#include "run/run_observers.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

std::vector<int64_t> Worst(const std::vector<double>& scores, int count, int64_t spacing,
                           ScoreDirection better = ScoreDirection::kHigher) {
  ScoreTable table;
  const int column = *table.AddColumn("score", "score", {better});
  WorstFrames worst(count, spacing);
  for (size_t f = 0; f < scores.size(); ++f) {
    worst.Offer(static_cast<int64_t>(f), {}, {});
    if (scores[f] < 1000) {
      EXPECT_TRUE(table.Set(column, static_cast<int64_t>(f), scores[f]).ok());
    }
    if (f % 3 == 2) worst.Judge(table, column, static_cast<int64_t>(f) - 1);  // scores come late
  }
  worst.Judge(table, column, static_cast<int64_t>(scores.size()));
  std::vector<int64_t> frames;
  for (const WorstFrame& frame : worst.Take()) frames.push_back(frame.frame);
  return frames;
}

TEST(WorstFrames, AreTheLowestFirst) {
  EXPECT_EQ(Worst({90, 20, 80, 50, 95, 10, 60}, 3, 1), (std::vector<int64_t>{5, 1, 3}));
  EXPECT_EQ(Worst({50, 40}, 3, 1), (std::vector<int64_t>{1, 0}));
}

TEST(WorstFrames, AreTheHighestFirstWhereLowerIsBetter) {
  EXPECT_EQ(Worst({1.5, 0.2, 3.5, 3.5, 0.9}, 3, 1, ScoreDirection::kLower), (std::vector<int64_t>{2, 3, 0}));
  EXPECT_EQ(Worst({1, 2, 3, 1.5, 9, 8, 7, 8.5}, 9, 4, ScoreDirection::kLower), (std::vector<int64_t>{4, 2}));
}

TEST(WorstFrames, AreOneOfEachGroup) {
  EXPECT_EQ(Worst({20, 10, 30, 15, 90, 91, 92, 80}, 9, 4), (std::vector<int64_t>{1, 7}));
}

TEST(WorstFrames, SkipFramesWithoutAScore) {
  EXPECT_EQ(Worst({20, 1e6, 10, 1e6, 30, 1e6}, 2, 1), (std::vector<int64_t>{2, 0}));
}

TEST(WorstFrames, WaitForAScoreThatComesWithTheNextFrames) {
  ScoreTable table;
  const int column = *table.AddColumn("cvvdp_frame", "cvvdp_frame");
  WorstFrames worst(1, 1);
  worst.Offer(0, {}, {});
  worst.Judge(table, column, 1);
  worst.Offer(1, {}, {});
  for (const int frame : {0, 1}) ASSERT_TRUE(table.Set(column, frame, 8.0 + frame).ok());
  worst.Judge(table, column, 2);
  const std::vector<WorstFrame> taken = worst.Take();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].frame, 0);
}

TEST(FindQualityColumn, IsTheModelsElseTheOneOfTheHighestRank) {
  ScoreTable table;
  ASSERT_TRUE(table.AddColumn("content", "content", {ScoreDirection::kNeither, 99}).ok());
  EXPECT_EQ(FindQualityColumn(table, ""), std::nullopt);
  ASSERT_TRUE(table.AddColumn("unranked", "unranked", {ScoreDirection::kLower}).ok());
  ASSERT_TRUE(table.AddColumn("model", "model").ok());
  EXPECT_EQ(FindQualityColumn(table, "model"), 2);
  EXPECT_EQ(FindQualityColumn(table, ""), 1) << "the first of those without a rank";
  for (const char* name : {"good", "as good"})
    ASSERT_TRUE(table.AddColumn(name, name, {ScoreDirection::kHigher, 50}).ok());
  EXPECT_EQ(FindQualityColumn(table, ""), 3) << "the first of a rank";
  ASSERT_TRUE(table.AddColumn("better", "better", {ScoreDirection::kLower, 60}).ok());
  EXPECT_EQ(FindQualityColumn(table, ""), 5);
}

}  // namespace
}  // namespace acutance
