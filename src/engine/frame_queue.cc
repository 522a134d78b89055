#include "engine/frame_queue.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace acutance {
namespace {

// A decoder with few surfaces blocks until queued frames release theirs, so a device must not wait for a full batch
// for ever.
constexpr std::chrono::milliseconds kLongestPause{50};

}  // namespace

void FrameQueue::Join(int batch) {
  const std::lock_guard lock(mutex_);
  smallest_batch_ = devices_ == 0 ? batch : std::min(smallest_batch_, batch);
  ++devices_;
}

void FrameQueue::GiveBack(Jobs unfinished) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    const auto earlier = [](const auto& a, const auto& b) { return a->index() < b->index(); };
    std::deque<std::shared_ptr<FrameJob>> merged;
    std::ranges::merge(unfinished, waiting_, std::back_inserter(merged), earlier);
    waiting_ = std::move(merged);
    smallest_batch_ = 1;  // the device may continue with smaller ones
  }
  changed_.notify_all();
}

void FrameQueue::Leave() {
  Jobs left;
  {
    const std::lock_guard lock(mutex_);
    if (--devices_ == 0) std::ranges::move(std::exchange(waiting_, {}), std::back_inserter(left));
  }
  changed_.notify_all();
  for (auto& job : left) job->RunDeviceWorkOnCpu();
}

void FrameQueue::Add(std::shared_ptr<FrameJob> job) {
  {
    const std::lock_guard lock(mutex_);
    if (devices_ > 0) {
      waiting_.push_back(std::exchange(job, nullptr));
      ++added_;
      if (waiting_.size() > 1 && static_cast<int>(waiting_.size()) < smallest_batch_) return;
    }
  }
  if (job) job->RunDeviceWorkOnCpu();
  else changed_.notify_one();
}

void FrameQueue::Drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  changed_.notify_all();
}

void FrameQueue::Resume() {
  const std::lock_guard lock(mutex_);
  draining_ = false;
}

void FrameQueue::Stop() {
  while (StopOne()) continue;
  changed_.notify_all();
}

/// Called while a session ends, perhaps because there is no memory: it takes none.
bool FrameQueue::StopOne() {
  std::shared_ptr<FrameJob> dropped;  // goes outside the lock
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (waiting_.empty()) return false;
  dropped = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

/// The number of waiting frames that may form a batch.
size_t FrameQueue::RunLength(int batch) const {
  const size_t most = std::min(waiting_.size(), static_cast<size_t>(batch));
  if (!consecutive_) return most;
  size_t length = std::min<size_t>(most, 1);
  while (length < most && waiting_[length]->index() == waiting_[length - 1]->index() + 1) ++length;
  return length;
}

bool FrameQueue::IsReady(int batch) const {
  if (waiting_.empty()) return false;
  if (draining_ || waiting_.size() >= static_cast<size_t>(batch)) return true;
  return RunLength(batch) < waiting_.size();  // frames that were given back: nothing can join them
}

FrameQueue::Jobs FrameQueue::Take(int batch, const std::atomic<bool>& cancelled, const Patience& patience) {
  Jobs jobs;
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return stopped_ || cancelled; };
  for (int64_t seen = -1;;) {
    changed_.wait(lock, [&] { return is_over() || !waiting_.empty(); });
    if (is_over()) return jobs;
    if (IsReady(batch) || seen == added_) break;
    const std::chrono::microseconds pause = patience ? patience() : kLongestPause;
    if (pause.count() == 0) break;
    seen = added_;
    changed_.wait_for(lock, pause, [&] { return is_over() || IsReady(batch); });
  }
  const auto end = waiting_.begin() + static_cast<ptrdiff_t>(RunLength(batch));
  jobs.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  const bool more = IsReady(batch);
  lock.unlock();
  if (more) changed_.notify_one();
  return jobs;
}

void FrameQueue::Wake() {
  {
    const std::lock_guard lock(mutex_);  // a thread in Take has not checked yet or waits already
  }
  changed_.notify_all();
}

}  // namespace acutance
