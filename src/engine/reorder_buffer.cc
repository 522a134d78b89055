#include "engine/reorder_buffer.h"

#include <utility>

namespace acutance {
namespace {

constexpr size_t kMostWaiting = 16384;

}  // namespace

void ReorderBuffer::Put(Jobs jobs) {
  for (std::shared_ptr<FrameJob>& job : jobs) {
    const size_t place = job->index() - first_;
    if (place >= jobs_.size()) jobs_.resize(place + 1);
    jobs_[place] = std::move(job);
  }
}

ReorderBuffer::Jobs ReorderBuffer::Take() {
  Jobs ready;
  for (; IsReady(); ++first_) {
    ready.push_back(std::move(jobs_.front()));
    jobs_.pop_front();
  }
  return ready;
}

bool ReorderBuffer::IsFull() const { return jobs_.size() > kMostWaiting; }

}  // namespace acutance
