// Work shared with the threads of a pool.
#pragma once

#include <functional>

#include "backend/cpu/thread_pool.h"

namespace acutance {

/// Runs work(0) to work(count - 1) on the caller's thread and on the pool's idle workers; returns when all are done.
void ShareWork(ThreadPool& pool, int count, const std::function<void(int)>& work);

}  // namespace acutance
