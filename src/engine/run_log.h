// First error and warnings of a session, from any thread.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace acutance {

class RunLog {
 public:
  /// on_warning: called with each warning as it occurs, on its thread; null: warnings are only recorded.
  explicit RunLog(std::function<void(const std::string&)> on_warning) : on_warning_(std::move(on_warning)) {}

  /// Records the first error; false for another. Allocates nothing: there may be no memory left.
  bool Fail(Status status) {
    const std::lock_guard lock(mutex_);
    if (!error_.ok() || status.ok()) return false;
    error_ = std::move(status);
    return true;
  }

  void Warn(const std::string& warning) {
    {
      const std::lock_guard lock(mutex_);
      warnings_.push_back(warning);
    }
    if (on_warning_) on_warning_(warning);
  }

  Status status() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  bool ok() const { return status().ok(); }
  std::vector<std::string> warnings() const {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }

 private:
  const std::function<void(const std::string&)> on_warning_;
  mutable std::mutex mutex_;  // guards what follows
  Status error_;
  std::vector<std::string> warnings_;
};

}  // namespace acutance
