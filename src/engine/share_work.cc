#include "engine/share_work.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace acutance {
namespace {

/// Helpers that come late find no item left and do not touch `work`, which no longer exists.
class Shared {
 public:
  Shared(int count, const std::function<void(int)>& work) : count_(count), left_(count), work_(work) {}

  void Help() {
    for (int i = next_++; i < count_; i = next_++) {
      work_(i);
      if (--left_ == 0) left_.notify_one();
    }
  }

  void Wait() const {
    for (int left = left_; left > 0; left = left_) left_.wait(left);
  }

 private:
  const int count_;
  std::atomic<int> next_ = 0;
  std::atomic<int> left_;
  const std::function<void(int)>& work_;
};

}  // namespace

void ShareWork(ThreadPool& pool, int count, const std::function<void(int)>& work, bool urgent) {
  if (count == 0) return;
  const auto shared = std::make_shared<Shared>(count, work);
  // Workers that are busy now, perhaps with another device's batch, are asked too: they may be
  // free soon.
  for (int helpers = std::min({pool.workers(), kMostCopyThreads, count - 1}); helpers > 0; --helpers)
    pool.Submit([shared](int) { shared->Help(); }, urgent);
  shared->Help();
  shared->Wait();
}

}  // namespace acutance
