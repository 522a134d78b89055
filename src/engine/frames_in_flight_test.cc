#include "engine/frames_in_flight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace acutance {
namespace {

class FramesInFlightTest : public testing::Test {
 protected:
  FramesInFlightTest() {
    frames_.SetLimits(/*most=*/3, /*resume_at=*/2);
    frames_.StartAt(10);
  }

  std::shared_ptr<FrameJob> Job(int64_t index) {
    auto job = std::make_shared<FrameJob>(features_, workspaces_, pool_, [](std::shared_ptr<FrameJob>) {});
    job->Assign({index, {}}, no_runs_);
    return job;
  }

  bool End(std::vector<int64_t> indices) {
    FramesInFlight::Jobs jobs;
    for (const int64_t index : indices) jobs.push_back(Job(index));
    return frames_.End(std::move(jobs));
  }

  std::vector<int64_t> Take() {
    std::vector<int64_t> indices;
    for (const auto& job : frames_.TakeReady()) indices.push_back(job->index());
    return indices;
  }

  FeatureSet features_;
  WorkspacePool workspaces_{features_, 1};
  ThreadPool pool_{1, ThreadPool::Mode::kInlineIfOne, [](Status) {}};
  const std::vector<int> no_runs_;
  FramesInFlight frames_;
};

TEST_F(FramesInFlightTest, ComeBackInOrder) {
  EXPECT_FALSE(End({12}));
  EXPECT_FALSE(End({11, 14}));
  EXPECT_TRUE(End({10})) << "now they can be written";
  EXPECT_FALSE(End({13})) << "another thread takes them";
  EXPECT_EQ(frames_.written(), 10);
  EXPECT_THAT(Take(), testing::ElementsAre(10, 11, 12, 13, 14));
  EXPECT_EQ(frames_.written(), 10);
  EXPECT_FALSE(End({15})) << "still";
  EXPECT_THAT(Take(), testing::ElementsAre(15));
  EXPECT_EQ(frames_.written(), 15);
  EXPECT_THAT(Take(), testing::IsEmpty());
  EXPECT_EQ(frames_.written(), 16);
  EXPECT_TRUE(End({16})) << "its work is over";
}

TEST_F(FramesInFlightTest, MoreThanTheLimitWait) {
  for (int i = 0; i < 4; ++i) frames_.Begin();
  std::atomic<bool> has_begun = false;
  std::thread waiting([&] {
    frames_.Begin();
    has_begun = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(has_begun);
  EXPECT_FALSE(End({11, 12}));
  waiting.join();
  EXPECT_TRUE(has_begun);
}

TEST_F(FramesInFlightTest, NothingWaitsAfterAStop) {
  for (int i = 0; i < 4; ++i) frames_.Begin();
  std::thread waiting([&] { frames_.Begin(); });
  frames_.Stop();
  waiting.join();
  frames_.WaitUntilWritten(1000);
  EXPECT_EQ(frames_.written(), 10);
}

}  // namespace
}  // namespace acutance
