#include "base/threads/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads/exception_barrier.h"
#include "base/threads/thread_pool.h"

namespace acutance {
namespace {

/// Pieces of work that threads take one after another. Helpers that come after the last one was taken do not touch
/// `work`, which no longer exists.
class Pieces {
 public:
  Pieces(int count, const std::function<Status(int)>& work)
      : count_(count), left_(count), failed_(count), work_(work) {}

  void Help() {
    for (int i = next_++; i < count_; i = next_++) {
      Note(i, CatchExceptions([&] { return work_(i); }));
      if (--left_ == 0) left_.notify_one();
    }
  }

  /// Until all pieces are done. Returns the failure of the lowest number.
  Status Wait() {
    for (int left = left_; left > 0; left = left_) left_.wait(left);
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  void Note(int piece, Status status) {
    if (status.ok()) return;
    const std::lock_guard lock(mutex_);
    if (piece > failed_) return;
    failed_ = piece;
    failure_ = std::move(status);
  }

  const int count_;
  std::atomic<int> next_ = 0;
  std::atomic<int> left_;
  std::mutex mutex_;  // guards the two below
  int failed_;
  Status failure_;
  const std::function<Status(int)>& work_;
};

}  // namespace

Status ParallelFor(int threads, int count, const std::function<Status(int)>& work) {
  Pieces pieces(count, work);
  std::vector<std::thread> helpers(static_cast<size_t>(std::max(std::min(threads, count) - 1, 0)));
  for (std::thread& helper : helpers)
    if (!StartThread(helper, [&] { pieces.Help(); }).ok()) break;  // the threads that have started do all of it
  pieces.Help();
  for (std::thread& helper : helpers)
    if (helper.joinable()) helper.join();
  return pieces.Wait();
}

Status ParallelFor(ThreadPool& pool, int most, int count, const std::function<void(int)>& work, bool urgent) noexcept {
  const std::function<Status(int)> piece = [&work](int i) {
    work(i);
    return Status();
  };
  std::shared_ptr<Pieces> shared;
  static_cast<void>(CatchExceptions([&] {  // without help, this thread does it all
    shared = std::make_shared<Pieces>(count, piece);
    // Workers that are busy now are asked too: they may be free soon.
    for (int helpers = std::min({pool.workers(), most, count - 1}); helpers > 0; --helpers)
      pool.Submit([shared](int) { shared->Help(); }, urgent);
    return Status();
  }));
  if (shared) {
    shared->Help();
    return shared->Wait();
  }
  Pieces alone(count, piece);
  alone.Help();
  return alone.Wait();
}

}  // namespace acutance
