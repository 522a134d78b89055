// Loading several kernels at a time, where a driver compiles them.
#pragma once

#include <algorithm>
#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/usable_cpus.h"
#include "exec/kernel_image.h"

namespace acutance {

/// Calls `load(image)`, which returns a Status, for all images on several threads. A failure is for the later call to
/// find that needs the kernel.
template <class Load>
void LoadOnThreads(std::span<const KernelImage* const> images, const Load& load) {
  constexpr size_t kMostThreads = 16;
  if (images.size() < 2) return;
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < images.size(); i = next++) static_cast<void>(Guarded([&] { return load(*images[i]); }));
  };
  std::vector<std::thread> threads(std::min<size_t>({images.size(), kMostThreads, static_cast<size_t>(UsableCpus())}) -
                                   1);
  for (std::thread& thread : threads) static_cast<void>(StartThread(thread, work));  // with fewer it takes longer
  work();
  for (std::thread& thread : threads)
    if (thread.joinable()) thread.join();
}

}  // namespace acutance
