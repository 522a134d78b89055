// Cancels a run, in whatever step it is.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "io/interruption.h"

namespace acutance {

/// A run is stopped by other means in each of its steps, and between some of them by none: what cancels it there, or in
/// a step that ends well all the same, ends the next one.
class RunCancel : public std::enable_shared_from_this<RunCancel> {
 public:
  static std::shared_ptr<RunCancel> Make() { return std::shared_ptr<RunCancel>(new RunCancel()); }

  /// For good. Any thread.
  void Cancel();
  bool is_cancelled() const { return interruption_.is_on(); }

  /// RunRequest::watch_cancel. One step at a time.
  std::shared_ptr<void> Watch(std::function<void()> stop);

  /// OpenOptions::interruption.
  std::shared_ptr<const Interruption> interruption() { return {shared_from_this(), &interruption_}; }

 private:
  RunCancel() = default;

  Interruption interruption_;
  std::mutex mutex_;
  std::function<void()> stop_;  // the step that goes on; null: none does
};

}  // namespace acutance
