// Work shared with the threads of a pool.
#pragma once

#include <functional>

#include "backend/cpu/thread_pool.h"

namespace acutance {

/// Threads that copy pictures to one device: they saturate its link; waking more takes longer than it saves.
constexpr int kMostCopyThreads = 12;

/// Runs work(0) to work(count - 1) on the caller's thread and on the pool's workers, kMostCopyThreads at most; returns
/// when all are done. urgent: before what the pool has to do already.
void ShareWork(ThreadPool& pool, int count, const std::function<void(int)>& work, bool urgent);

}  // namespace acutance
