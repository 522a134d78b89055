#include "base/threads/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads/exception_barrier.h"

namespace acutance {

Status ParallelFor(int threads, int count, const std::function<Status(int)>& work) {
  std::atomic<int> next = 0;
  std::mutex mutex;  // guards the two below
  int failed = count;
  Status failure;
  const auto help = [&] {
    for (int i = next++; i < count; i = next++) {
      Status status = CatchExceptions([&] { return work(i); });
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      if (i > failed) continue;
      failed = i;
      failure = std::move(status);
    }
  };
  std::vector<std::thread> helpers(static_cast<size_t>(std::max(std::min(threads, count) - 1, 0)));
  for (std::thread& helper : helpers)
    if (!StartThread(helper, help).ok()) break;  // the threads that have started do all of it
  help();
  for (std::thread& helper : helpers)
    if (helper.joinable()) helper.join();
  return failure;
}

}  // namespace acutance
