#include "engine/model_run.h"

#include <gtest/gtest.h>

#include "model/builtin_models.h"

namespace acutance {
namespace {

constexpr int64_t kFrames = 100;
constexpr int64_t kLate = 70;  // its features come after those of all others

const ForEach kInTurn = [](int count, const std::function<void(int)>& work) {
  for (int i = 0; i < count; ++i) work(i);
  return Status();
};

/// A model with the table that it reads and writes.
struct Bound {
  Bound() : run(ModelRun::Create({model, {}, true}, features).value()) {
    for (const std::string& key : run.feature_keys()) EXPECT_TRUE(table.AddColumn(key, key).ok());
    EXPECT_TRUE(run.AddColumns(table).ok());
    for (int64_t frame = 0; frame < kFrames; ++frame)
      if (frame != kLate) SetFeatures(frame);
  }

  static std::vector<double> FeaturesOf(int64_t frame) {
    const double x = 0.007 * static_cast<double>(frame * 7 % kFrames);
    return {0.3 + x, 10 * x, 0.9 - x, 0.8 - x, 0.7 - x, 0.6 - x};
  }

  void SetFeatures(int64_t frame) {
    const std::vector<double> values = FeaturesOf(frame);
    for (int i = 0; i < static_cast<int>(values.size()); ++i) EXPECT_TRUE(table.Set(i, frame, values[i]).ok());
  }

  std::optional<double> ScoreOf(int64_t frame) const { return table.Get(table.Find(run.main_score_key()), frame); }

  const std::shared_ptr<const Model> model = std::make_shared<Model>(*LoadBuiltinModel("vmaf_v0.6.1", "vmaf"));
  FeatureSet features;
  ModelRun run;
  ScoreTable table;
};

TEST(ModelRun, PredictsTheSameOnAnyNumberOfThreads) {
  Bound alone, shared;
  int parts = 0;
  const ForEach last_first = [&](int count, const std::function<void(int)>& work) {
    parts = count;
    for (int i = count; i-- > 0;) work(i);
    return Status();
  };
  for (const int64_t frames : {int64_t{33}, kFrames}) {
    ASSERT_TRUE(alone.run.PredictReady(alone.table, 1, frames, kInTurn).ok());
    ASSERT_TRUE(shared.run.PredictReady(shared.table, 1, frames, last_first).ok());
    EXPECT_GT(parts, 1);
    EXPECT_EQ(alone.run.RunningMean(alone.table), shared.run.RunningMean(shared.table));
    for (int64_t frame = 0; frame < kFrames; ++frame) {
      EXPECT_EQ(alone.ScoreOf(frame).has_value(), frame < std::min(frames, kLate)) << frame;
      EXPECT_EQ(alone.ScoreOf(frame), shared.ScoreOf(frame)) << frame;
      if (alone.ScoreOf(frame)) {
        EXPECT_EQ(alone.ScoreOf(frame), Predict(*alone.model, Bound::FeaturesOf(frame)));
      }
    }
  }
}

TEST(ModelRun, ContinuesWhereFeaturesWereMissing) {
  Bound bound;
  ASSERT_TRUE(bound.run.PredictReady(bound.table, 1, kFrames, kInTurn).ok());
  EXPECT_FALSE(bound.run.CheckComplete(bound.table, 1, kFrames).ok());
  bound.SetFeatures(kLate);
  ASSERT_TRUE(bound.run.PredictReady(bound.table, 1, kFrames, kInTurn).ok());
  EXPECT_TRUE(bound.run.CheckComplete(bound.table, 1, kFrames).ok());
  EXPECT_TRUE(bound.ScoreOf(kFrames - 1).has_value());
}

}  // namespace
}  // namespace acutance
