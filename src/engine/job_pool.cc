#include "engine/job_pool.h"

#include <utility>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

constexpr size_t kMostSpare = 1024;

}  // namespace

std::shared_ptr<FrameJob> JobPool::Take() {
  return {TakeOrMake().release(), [this](FrameJob* job) { Return(std::unique_ptr<FrameJob>(job)); }};
}

std::unique_ptr<FrameJob> JobPool::TakeOrMake() {
  if (own_.empty()) {
    const std::lock_guard lock(mutex_);
    own_.swap(spare_);
  }
  if (own_.empty()) return make_();
  std::unique_ptr<FrameJob> job = std::move(own_.back());
  own_.pop_back();
  return job;
}

void JobPool::Return(std::unique_ptr<FrameJob> job) {
  static_cast<void>(CatchExceptions([&] {  // a job for which there is no room is freed
    const std::lock_guard lock(mutex_);
    if (spare_.size() < kMostSpare) spare_.push_back(std::move(job));
    return Status();
  }));
}

}  // namespace acutance
