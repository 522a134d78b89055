// Sharing work out over threads.
#pragma once

#include <functional>

namespace acutance {

/// Runs work(0) to work(count - 1), begun in this order on any threads, and returns when all are done.
using ForEach = std::function<void(int count, const std::function<void(int)>& work)>;

}  // namespace acutance
