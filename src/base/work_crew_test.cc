#include "base/work_crew.h"

#include <gtest/gtest.h>

#include <atomic>

namespace acutance {
namespace {

TEST(WorkCrew, DoesWhatDoesNotFitIntoItsQueueInThePostersThread) {
  WorkCrew crew(1);
  const auto own = std::this_thread::get_id();
  bool is_own = false;
  crew.Post(size_t{1} << 40, [&] { is_own = std::this_thread::get_id() == own; });
  EXPECT_TRUE(is_own);
}

TEST(WorkCrew, EndsWhatWasPosted) {
  for (const int threads : {0, 1, 4}) {
    std::atomic<int> done = 0;
    {
      WorkCrew crew(threads);
      for (int k = 0; k < 100; ++k) crew.Post(1, [&] { ++done; });
    }
    EXPECT_EQ(done, 100) << threads;
  }
}

}  // namespace
}  // namespace acutance
