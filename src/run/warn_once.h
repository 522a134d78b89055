// Warnings of a run that goes again.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace acutance {

/// Passes each warning on once.
inline std::function<void(const std::string&)> WarnOnce(std::function<void(const std::string&)> warn) {
  struct Warned {
    std::mutex mutex;
    std::set<std::string> warnings;
  };
  return [warned = std::make_shared<Warned>(), warn = std::move(warn)](const std::string& warning) {
    const std::lock_guard lock(warned->mutex);
    if (warned->warnings.insert(warning).second) warn(warning);
  };
}

}  // namespace acutance
