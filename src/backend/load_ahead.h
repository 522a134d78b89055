// Loading several kernels at a time, where a driver compiles them.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"
#include "exec/kernel_image.h"

namespace acutance {

/// Items that threads share, each for one of them.
template <class Item>
class SharedItems {
 public:
  explicit SharedItems(std::span<const Item> items) : items_(items) {}

  /// Calls `work(item)`, which returns a Status, for one item after another until no thread has any left. A failure is
  /// for the later call to find that needs the item.
  template <class Work>
  void TakeAll(const Work& work) {
    for (size_t i = next_++; i < items_.size(); i = next_++)
      static_cast<void>(CatchExceptions([&] { return work(items_[i]); }));
  }

 private:
  const std::span<const Item> items_;
  std::atomic<size_t> next_ = 0;
};

/// Calls `own()` on this thread while `helpers` others, or as many as the system has, call `help()`. Neither throws.
template <class Help, class Own>
void RunWithHelpers(size_t helpers, const Help& help, const Own& own) {
  std::vector<std::thread> threads(helpers);
  for (std::thread& thread : threads) static_cast<void>(StartThread(thread, help));
  own();
  for (std::thread& thread : threads)
    if (thread.joinable()) thread.join();
}

/// Calls `load(image)`, which returns a Status, for all images on several threads.
template <class Load>
void LoadOnThreads(std::span<const KernelImage* const> images, const Load& load) {
  constexpr size_t kMostThreads = 16;
  if (images.size() < 2) return;
  SharedItems<const KernelImage*> shared(images);
  const auto work = [&] { shared.TakeAll([&](const KernelImage* image) { return load(*image); }); };
  RunWithHelpers(std::min<size_t>({images.size(), kMostThreads, static_cast<size_t>(UsableCpus())}) - 1, work, work);
}

}  // namespace acutance
