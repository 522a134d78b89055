// Cancels a run, in whatever step it is.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "io/cancellation_token.h"

namespace acutance {

/// A run is stopped by other means in each of its steps, and between some of them by none: what cancels it there, or in
/// a step that ends well all the same, ends the next one.
class RunCancellation : public std::enable_shared_from_this<RunCancellation> {
 public:
  static std::shared_ptr<RunCancellation> Make() { return std::shared_ptr<RunCancellation>(new RunCancellation()); }

  /// For good. Any thread.
  void Cancel();
  bool is_cancelled() const { return interruption_.is_on(); }

  /// RunRequest::watch_cancel. One step at a time.
  std::shared_ptr<void> Watch(std::function<void()> stop);

  /// OpenOptions::interruption.
  std::shared_ptr<const CancellationToken> interruption() { return {shared_from_this(), &interruption_}; }

 private:
  RunCancellation() = default;

  CancellationToken interruption_;
  std::mutex mutex_;
  std::function<void()> stop_;  // the step that goes on; null: none does
};

}  // namespace acutance
