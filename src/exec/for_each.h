// Sharing work out over threads.
#pragma once

#include <functional>

#include "base/status.h"

namespace acutance {

/// Runs work(0) to work(count - 1), begun in this order on any threads, and returns when all are done. An exception of
/// `work` is an error; the other items are done all the same.
using ForEach = std::function<Status(int count, const std::function<void(int)>& work)>;

}  // namespace acutance
