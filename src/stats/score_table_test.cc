#include "stats/score_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace acutance {
namespace {

using testing::HasSubstr;

TEST(ScoreTable, KeepsColumnsInOrderOfCreation) {
  ScoreTable table;
  for (int i = 0; i < 1000; ++i) {
    const Result<int> column = table.AddColumn("stored" + std::to_string(999 - i), "shown" + std::to_string(i));
    ASSERT_TRUE(column.ok());
    EXPECT_EQ(*column, i);
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(table.columns()[i].shown, "shown" + std::to_string(i));
    EXPECT_EQ(table.Find("stored" + std::to_string(999 - i)), i);
  }
  EXPECT_EQ(table.Find("shown1"), -1);
}

TEST(ScoreTable, ReordersItsFirstColumns) {
  ScoreTable table;
  for (const char* name : {"a", "b", "c", "d"}) ASSERT_TRUE(table.AddColumn(name, name).ok());
  ASSERT_TRUE(table.Set(2, 0, 7.0).ok());
  table.Reorder(std::vector{0, 2, 1});
  EXPECT_EQ(table.Find("c"), 1);
  EXPECT_EQ(table.Find("b"), 2);
  EXPECT_EQ(table.Find("d"), 3);
  EXPECT_EQ(table.columns()[1].shown, "c");
  EXPECT_EQ(table.Get(1, 0), 7.0);
}

TEST(ScoreTable, RefusesASecondColumnOfOneName) {
  ScoreTable table;
  ASSERT_TRUE(table.AddColumn("vmaf", "vmaf").ok());
  const Result<int> again = table.AddColumn("vmaf", "other");
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.status().message(), HasSubstr("'vmaf'"));
  EXPECT_EQ(table.columns().size(), 1u);
}

TEST(ScoreTable, WritesEachScoreOnce) {
  ScoreTable table;
  ASSERT_TRUE(table.AddColumn("a", "a").ok());
  EXPECT_TRUE(table.Set(0, 5, 1.25).ok());
  EXPECT_FALSE(table.Set(0, 5, 1.25).ok());
  EXPECT_EQ(table.Get(0, 5), 1.25);
  EXPECT_EQ(table.Get(0, 4), std::nullopt);
  EXPECT_EQ(table.Get(0, 6), std::nullopt);
}

TEST(ScoreTable, RefusesWhatIsOutside) {
  ScoreTable table;
  ASSERT_TRUE(table.AddColumn("a", "a").ok());
  EXPECT_FALSE(table.Set(1, 0, 0).ok());
  EXPECT_FALSE(table.Set(-1, 0, 0).ok());
  EXPECT_FALSE(table.Set(0, -1, 0).ok());
  EXPECT_FALSE(table.Set(0, int64_t{1} << 40, 0).ok());
  EXPECT_EQ(table.Get(1, 0), std::nullopt);
  EXPECT_EQ(table.Get(-1, 0), std::nullopt);
  EXPECT_EQ(table.Get(0, -1), std::nullopt);
}

TEST(ScoreTable, AggregatesKeepTheirOrderAndTheLastValue) {
  ScoreTable table;
  table.SetAggregate("apsnr_y", 1);
  table.SetAggregate("apsnr_cb", 2);
  table.SetAggregate("apsnr_y", 3);
  const std::vector<std::pair<std::string, double>> expected = {{"apsnr_y", 3}, {"apsnr_cb", 2}};
  EXPECT_EQ(table.aggregates(), expected);
}

TEST(ScoreTable, ColumnsTakeTheValueOfTheirClip) {
  ScoreTable table;
  ASSERT_TRUE(table.AddColumn("a", "a", {.clip = "a_clip"}).ok());
  ASSERT_TRUE(table.AddColumn("b", "b").ok());
  EXPECT_EQ(table.Aggregate("a_clip"), std::nullopt);
  table.SetAggregate("a_clip", 2);
  EXPECT_EQ(table.Aggregate("a_clip"), 2);
  EXPECT_EQ(table.columns()[0].clip_mean, 2);
  EXPECT_EQ(table.columns()[1].clip_mean, std::nullopt);
  ASSERT_TRUE(table.AddColumn("c", "c", {.clip = "a_clip"}).ok());
  EXPECT_EQ(table.columns()[2].clip_mean, 2);
}

}  // namespace
}  // namespace acutance
