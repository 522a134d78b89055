// Work shared with the threads of a pool.
#pragma once

#include <functional>

#include "backend/cpu/thread_pool.h"
#include "base/status.h"

namespace acutance {

/// The largest number of threads that copy pictures to one device. They saturate its link; waking
/// more takes longer than it saves.
constexpr int kMostCopyThreads = 12;

/// Runs work(0) to work(count - 1) on the caller's thread and on the pool's workers,
/// kMostCopyThreads at most, and returns when all are done. urgent: before the tasks that the
/// pool has queued. An exception of `work` is an error; the other items are done all the same.
Status ShareWork(ThreadPool& pool, int count, const std::function<void(int)>& work, bool urgent) noexcept;

}  // namespace acutance
