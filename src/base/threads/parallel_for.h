// Independent pieces of work on threads of their own.
#pragma once

#include <functional>

#include "base/status.h"

namespace acutance {

/// Runs work(0) to work(count - 1) on the caller's thread and on threads - 1 more, which end before it returns. Of the
/// failures, exceptions among them, that of the lowest number is returned; the other pieces are done all the same.
Status ParallelFor(int threads, int count, const std::function<Status(int)>& work);

}  // namespace acutance
