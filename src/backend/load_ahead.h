// Parallel loading of kernels, where a driver compiles them.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "base/threads/parallel_for.h"
#include "base/usable_cpus.h"
#include "exec/kernel_image.h"

namespace acutance {

/// Calls `load(image)` for all images on several threads. A failure is reported by the later call that needs the image.
inline void LoadOnThreads(std::span<const KernelImage* const> images,
                          const std::function<Status(const KernelImage&)>& load) {
  constexpr int kMostThreads = 16;
  if (images.size() < 2) return;
  static_cast<void>(ParallelFor(std::min(kMostThreads, UsableCpus()), static_cast<int>(images.size()),
                                [&](int i) { return load(*images[i]); }));
}

}  // namespace acutance
