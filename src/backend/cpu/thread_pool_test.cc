#include "backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>
#include <vector>

namespace acutance {
namespace {

TEST(ThreadPool, OneWorkerRunsTasksBeforeSubmitReturns) {
  ThreadPool pool(1);
  std::vector<int> order;
  pool.Submit([&](int worker) {
    EXPECT_EQ(worker, 0);
    order.push_back(1);
    pool.Submit([&](int) { order.push_back(3); });
    pool.Submit([&](int) { order.push_back(2); }, /*urgent=*/true);
    EXPECT_EQ(order.size(), 1u);
  });
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(ThreadPool, RunsEverythingBeforeItIsGone) {
  std::atomic<int> done = 0;
  {
    ThreadPool pool(4);
    for (int i = 0; i < 1000; ++i)
      pool.Submit([&](int worker) {
        EXPECT_LT(worker, 4);
        ++done;
      });
  }
  EXPECT_EQ(done, 1000);
}

TEST(ThreadPool, WorkersRunAtTheSameTime) {
  ThreadPool pool(3);
  std::latch all_here(4);
  for (int i = 0; i < 3; ++i) pool.Submit([&](int) { all_here.arrive_and_wait(); });
  all_here.arrive_and_wait();
}

TEST(ThreadPool, TasksMaySubmitTasks) {
  std::atomic<int> done = 0;
  {
    ThreadPool pool(2);
    for (int i = 0; i < 50; ++i)
      pool.Submit([&](int) {
        for (int k = 0; k < 10; ++k) pool.Submit([&](int) { ++done; }, k % 2 == 0);
      });
  }
  EXPECT_EQ(done, 500);
}

}  // namespace
}  // namespace acutance
