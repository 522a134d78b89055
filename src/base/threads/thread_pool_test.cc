#include "base/threads/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
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

/// Threads that wait until all have come. A std::latch of GCC 12 wakes none on Windows.
class Meeting {
 public:
  explicit Meeting(int threads) : missing_(threads) {}
  void Join() {
    std::unique_lock lock(mutex_);
    if (--missing_ == 0) all_here_.notify_all();
    all_here_.wait(lock, [this] { return missing_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int missing_;
};

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
  Meeting all_here(4);
  for (int i = 0; i < 3; ++i) pool.Submit([&](int) { all_here.Join(); });
  all_here.Join();
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

TEST(ThreadPool, ContinuesAfterATaskThatThrows) {
  for (const int workers : {1, 3}) {
    std::atomic<int> failed = 0, done = 0;
    {
      ThreadPool pool(workers, ThreadPool::Mode::kInlineIfOne, [&](const Status& status) {
        EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
        ++failed;
      });
      for (int i = 0; i < 20; ++i)
        pool.Submit([&, i](int) {
          if (i % 4 == 0) throw std::bad_alloc();
          ++done;
        });
    }
    EXPECT_EQ(failed, 5);
    EXPECT_EQ(done, 15);
  }
}

TEST(ThreadPool, DropsWhatHasNotBegun) {
  constexpr std::chrono::seconds kLong{10};
  std::atomic<int> done = 0;
  Meeting begun(3);
  ThreadPool pool(2);
  std::promise<void> last_dropped;
  std::shared_future<void> all_dropped = last_dropped.get_future().share();
  for (int i = 0; i < 2; ++i)
    pool.Submit([&, all_dropped](int) {
      ++done;
      begun.Join();
      EXPECT_EQ(all_dropped.wait_for(kLong), std::future_status::ready) << "what waits is not dropped at once";
    });
  begun.Join();
  for (int i = 0; i < 100; ++i) pool.Submit([&](int) { ++done; });
  const auto tell = [&](void*) { last_dropped.set_value(); };
  pool.Submit([&done, held = std::shared_ptr<void>(&done, tell)](int) { ++done; });
  pool.Drop();
  EXPECT_EQ(done, 2);
  pool.Submit([&](int) { ADD_FAILURE() << "after the end"; });
}

TEST(ThreadPool, RunsInTheCallersThreadWhatItsQueueCannotHold) {
  ThreadPool pool(1, ThreadPool::Mode::kThreads);
  const auto own = std::this_thread::get_id();
  bool is_own = false;
  pool.RunSoon(size_t{1} << 40, [&] { is_own = std::this_thread::get_id() == own; });
  EXPECT_TRUE(is_own);
}

/// Work of which the n-th copy finds no memory.
struct Costly {
  Costly(int& copies, bool& done) : left(&copies), is_done(&done) {}
  Costly(const Costly& other) : left(other.left), is_done(other.is_done) {
    if (--*left == 0) throw std::bad_alloc();
  }
  void operator()() const { *is_done = true; }

  int* left;
  bool* is_done;
};

TEST(ThreadPool, RunsInTheCallersThreadWhatItHasNoMemoryToQueue) {
  ThreadPool pool(1, ThreadPool::Mode::kThreads);
  for (const int n : {1, 2}) {  // into a function object, into the queue
    int left = n;
    bool is_done = false;
    EXPECT_NO_THROW(pool.RunSoon(1, Costly(left, is_done)));
    EXPECT_TRUE(is_done) << n;
  }
}

TEST(ThreadPool, EndsWhatWasToRunSoon) {
  for (const int threads : {0, 1, 4}) {
    std::atomic<int> done = 0;
    {
      ThreadPool pool(threads, ThreadPool::Mode::kThreads);
      for (int k = 0; k < 100; ++k) pool.RunSoon(1, [&] { ++done; });
    }
    EXPECT_EQ(done, 100) << threads;
  }
}

}  // namespace
}  // namespace acutance
