#include "engine/share_work.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

/// Helpers that come late find no item left and do not touch `work`, which no longer exists.
class Shared {
 public:
  Shared(int count, const std::function<void(int)>& work) : count_(count), left_(count), work_(work) {}

  void Help() {
    for (int i = next_++; i < count_; i = next_++) {
      Run(i);
      if (--left_ == 0) left_.notify_one();
    }
  }

  void Wait() const {
    for (int left = left_; left > 0; left = left_) left_.wait(left);
  }

  /// The first failure; valid after Wait.
  Status status() {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  void Run(int item) {
    Status status = CatchExceptions([&] {
      work_(item);
      return Status();
    });
    if (status.ok()) return;
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }

  const int count_;
  std::atomic<int> next_ = 0;
  std::atomic<int> left_;
  const std::function<void(int)>& work_;
  std::mutex mutex_;  // guards what follows
  Status status_;
};

Status Alone(int count, const std::function<void(int)>& work) {
  Shared all(count, work);
  all.Help();
  return all.status();
}

}  // namespace

Status ShareWork(ThreadPool& pool, int count, const std::function<void(int)>& work, bool urgent) noexcept {
  if (count == 0) return {};
  std::shared_ptr<Shared> shared;
  static_cast<void>(CatchExceptions([&] {  // without help, this thread does it all
    shared = std::make_shared<Shared>(count, work);
    // Workers that are busy now, perhaps with another device's batch, are asked too: they may be
    // free soon.
    for (int helpers = std::min({pool.workers(), kMostCopyThreads, count - 1}); helpers > 0; --helpers)
      pool.Submit([shared](int) { shared->Help(); }, urgent);
    return Status();
  }));
  if (!shared) return Alone(count, work);
  shared->Help();
  shared->Wait();
  return shared->status();
}

}  // namespace acutance
