#include "base/threads/background_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>

namespace acutance {
namespace {

TEST(BackgroundThreads, DoesWhatDoesNotFitIntoItsQueueInThePostersThread) {
  BackgroundThreads crew(1);
  const auto own = std::this_thread::get_id();
  bool is_own = false;
  crew.Post(size_t{1} << 40, [&] { is_own = std::this_thread::get_id() == own; });
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

TEST(BackgroundThreads, DoesWhatItHasNoMemoryToQueueInThePostersThread) {
  BackgroundThreads crew(1);
  for (const int n : {1, 2}) {  // into a function object, into the queue
    int left = n;
    bool is_done = false;
    EXPECT_NO_THROW(crew.Post(1, Costly(left, is_done)));
    EXPECT_TRUE(is_done) << n;
  }
}

TEST(BackgroundThreads, EndsWhatWasPosted) {
  for (const int threads : {0, 1, 4}) {
    std::atomic<int> done = 0;
    {
      BackgroundThreads crew(threads);
      for (int k = 0; k < 100; ++k) crew.Post(1, [&] { ++done; });
    }
    EXPECT_EQ(done, 100) << threads;
  }
}

}  // namespace
}  // namespace acutance
