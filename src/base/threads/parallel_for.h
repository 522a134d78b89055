// Parallel for loops over independent pieces of work.
#pragma once

#include <functional>

#include "base/status.h"

namespace acutance {

class ThreadPool;

/// Runs work(0) to work(count - 1) on the caller's thread and on threads - 1 more, which end before it returns. Of the
/// failures, exceptions among them, that of the lowest number is returned; the other pieces are done all the same.
Status ParallelFor(int threads, int count, const std::function<Status(int)>& work);

/// Runs work(0) to work(count - 1), begun in this order on any threads, and returns when all are done. An exception of
/// `work` is an error; the other items are done all the same.
using ForEach = std::function<Status(int count, const std::function<void(int)>& work)>;

/// ParallelFor on the caller's thread and on at most `most` of the pool's workers. urgent: before the tasks that the
/// pool has queued.
Status ParallelFor(ThreadPool& pool, int most, int count, const std::function<void(int)>& work, bool urgent) noexcept;

}  // namespace acutance
