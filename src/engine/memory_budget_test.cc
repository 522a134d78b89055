#include "engine/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace acutance {
namespace {

constexpr size_t kLuma = size_t{640} * 360;

SessionSpec SpecOf(std::vector<FeatureRequest> features) {
  SessionSpec spec = {.features = std::move(features), .format = {640, 360, 8, PixelFormat::k420}};
  return spec;
}

MemoryBudget BudgetOf(SessionSpec spec) {
  BoundRequests bound = Bind(spec).value();
  EXPECT_TRUE(bound.features.MakeExtractors(spec.format).ok());
  return {bound.features, spec};
}

TEST(MemoryBudget, CountsThePlanesThatMetricsRead) {
  EXPECT_EQ(BudgetOf(SpecOf({{"vif", {}}})).pair_bytes(), 2 * kLuma);
  EXPECT_EQ(BudgetOf(SpecOf({{"psnr", {}}})).pair_bytes(), 3 * kLuma) << "with chroma";
  SessionSpec ladder = SpecOf({{"vif", {}}});
  ladder.distorted_count = 3;
  EXPECT_EQ(BudgetOf(ladder).pair_bytes(), 4 * kLuma);
  EXPECT_EQ(BudgetOf(ladder).work_bytes(), 3 * BudgetOf(SpecOf({{"vif", {}}})).work_bytes());
}

TEST(MemoryBudget, CountsWhatTheCpuDoes) {
  SessionSpec spec = SpecOf({{"vif", {}}});
  const size_t on_cpu = BudgetOf(spec).work_bytes();
  EXPECT_GT(on_cpu, 0u);
  DeviceChoice choice = {.backend = "auto"};
  spec.devices = std::make_shared<DevicePicker>(choice);
  EXPECT_EQ(BudgetOf(spec).work_bytes(), 0u);
  choice.patience = std::chrono::milliseconds(400);
  spec.devices = std::make_shared<DevicePicker>(choice);
  EXPECT_EQ(BudgetOf(spec).work_bytes(), on_cpu) << "which begins where devices join later";
}

TEST(MemoryBudget, CountsEarlierPicturesAndThoseReadAhead) {
  EXPECT_EQ(BudgetOf(SpecOf({{"vif", {}}})).held_bytes(), 0u);
  EXPECT_EQ(BudgetOf(SpecOf({{"motion", {}}})).held_bytes(), 2 * kLuma) << "motion reads one frame back";
  SessionSpec ahead = SpecOf({{"vif", {}}});
  ahead.read_ahead = 3;
  EXPECT_EQ(BudgetOf(ahead).held_bytes(), 3 * 2 * kLuma);
}

TEST(MemoryBudget, AsManyFramesAsTheLimitHasRoomFor) {
  SessionSpec spec = SpecOf({{"vif", {}}});
  spec.read_ahead = 1;
  const MemoryBudget unlimited = BudgetOf(spec);
  EXPECT_GE(*unlimited.MostFrames(), 1);
  const size_t frame = unlimited.pair_bytes() + unlimited.work_bytes();
  for (const int frames : {1, 2, 7}) {
    spec.max_memory = unlimited.held_bytes() + frames * frame;
    EXPECT_EQ(BudgetOf(spec).MostFrames().value(), frames);
  }
  spec.max_memory = unlimited.held_bytes() + frame - 1;
  const Status refused = BudgetOf(spec).MostFrames().status();
  EXPECT_EQ(refused.code(), StatusCode::kOutOfMemory);
  EXPECT_THAT(refused.message(), testing::HasSubstr("are needed to score one frame of 640x360"));
}

}  // namespace
}  // namespace acutance
