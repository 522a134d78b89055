#include "engine/frames_in_flight.h"

#include <utility>

namespace acutance {
namespace {

/// Frames that may wait for one before them.
constexpr size_t kMostWaiting = 16384;

}  // namespace

void FramesInFlight::SetLimits(int most, int resume_at) {
  const std::lock_guard lock(mutex_);
  most_ = most;
  resume_at_ = resume_at;
}

void FramesInFlight::StartAt(int64_t frame) {
  const std::lock_guard lock(mutex_);
  first_ = written_ = frame;
}

template <class Condition>
void FramesInFlight::WaitUntil(std::unique_lock<std::mutex>& lock, Condition&& condition) {
  is_waited_for_ = !condition();
  progressed_.wait(lock, condition);
  is_waited_for_ = false;
}

void FramesInFlight::Begin() {
  std::unique_lock lock(mutex_);
  WaitUntil(lock, [&] { return is_stopped_ || (count_ <= most_ && done_.size() <= kMostWaiting); });
  ++count_;
}

bool FramesInFlight::End(Jobs jobs) {
  std::unique_lock lock(mutex_);
  count_ -= static_cast<int>(jobs.size());
  for (std::shared_ptr<FrameJob>& job : jobs) {
    const size_t place = job->index() - first_;
    if (place >= done_.size()) done_.resize(place + 1);
    done_[place] = std::move(job);
  }
  const bool must_write = !is_writing_ && IsReady();
  is_writing_ |= must_write;
  const bool notify = is_waited_for_ && count_ <= resume_at_;
  lock.unlock();
  if (notify) progressed_.notify_all();
  return must_write;
}

FramesInFlight::Jobs FramesInFlight::TakeReady() {
  const std::lock_guard lock(mutex_);
  written_ = first_;
  if (is_waited_for_ && count_ <= resume_at_) progressed_.notify_all();
  Jobs ready;
  for (; IsReady(); ++first_) {
    ready.push_back(std::move(done_.front()));
    done_.pop_front();
  }
  is_writing_ = !ready.empty();
  return ready;
}

void FramesInFlight::WaitUntilWritten(int64_t frame) {
  std::unique_lock lock(mutex_);
  WaitUntil(lock, [&] { return is_stopped_ || written_ >= frame; });
}

int64_t FramesInFlight::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

void FramesInFlight::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  progressed_.notify_all();
}

}  // namespace acutance
