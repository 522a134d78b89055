// Parallel for: independent pieces of work on several threads.
#pragma once

#include <functional>

#include "base/status.h"
#include "base/threads/thread_pool.h"

namespace acutance {

/// Runs work(0) to work(count - 1) on the caller's thread and on threads - 1 more, which end before it returns. Of the
/// failures, exceptions among them, that of the lowest number is returned; the other pieces are done all the same.
Status ParallelFor(int threads, int count, const std::function<Status(int)>& work);

/// The same on the caller's thread and on at most `most` of the pool's workers. urgent: before the tasks that the pool
/// has queued.
Status ParallelFor(ThreadPool& pool, int most, int count, const std::function<void(int)>& work, bool urgent) noexcept;

}  // namespace acutance
