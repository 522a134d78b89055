// Threads for short pieces of work beside a run.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace acutance {

/// Threads for short work, and a short queue.
class BackgroundThreads {
 public:
  /// Fewer threads than asked for where the system has no more; with none, all work is done by who posts it.
  explicit BackgroundThreads(int threads);
  /// Ends what was posted first.
  ~BackgroundThreads();
  BackgroundThreads(const BackgroundThreads&) = delete;
  BackgroundThreads& operator=(const BackgroundThreads&) = delete;

  /// Work that holds `bytes` of memory until it is done, and throws nothing. It runs in the caller's thread where the
  /// queue is full, or has no memory to grow: who waits for posted work waits for nothing that was lost.
  template <typename Posted>
  void Post(size_t bytes, const Posted& work) noexcept {
    bool is_queued = false;
    try {
      is_queued = Queue(bytes, work);
    } catch (const std::bad_alloc&) {
      is_queued = false;
    }
    if (!is_queued) work();
  }

 private:
  struct Work {
    size_t bytes;
    std::function<void()> run;
  };

  /// Whether there was room.
  bool Queue(size_t bytes, const std::function<void()>& work);
  void Serve();

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Work> queue_;
  size_t queued_bytes_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace acutance
