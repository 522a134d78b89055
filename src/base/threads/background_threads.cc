#include "base/threads/background_threads.h"

#include <algorithm>
#include <utility>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

constexpr size_t kMostQueuedBytes = size_t{64} << 20;

}  // namespace

BackgroundThreads::BackgroundThreads(int threads) {
  threads_.resize(static_cast<size_t>(std::max(threads, 0)));
  const auto failed = std::ranges::find_if(
      threads_, [this](std::thread& thread) { return !StartThread(thread, [this] { Serve(); }).ok(); });
  threads_.erase(failed, threads_.end());
}

BackgroundThreads::~BackgroundThreads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  posted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool BackgroundThreads::Queue(size_t bytes, const std::function<void()>& work) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= 2 * threads_.size() || queued_bytes_ + bytes > kMostQueuedBytes) return false;
    queue_.push_back({bytes, work});
    queued_bytes_ += bytes;
  }
  posted_.notify_one();
  return true;
}

void BackgroundThreads::Serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    posted_.wait(lock, [&] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Work work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work.run();
    work.run = nullptr;
    lock.lock();
    queued_bytes_ -= work.bytes;
  }
}

}  // namespace acutance
