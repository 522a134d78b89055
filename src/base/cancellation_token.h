// Cancellation of a run from any thread, in every step, also while it waits for a pipe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "base/system/wake_event.h"

namespace acutance {

class CancellationToken : public std::enable_shared_from_this<CancellationToken> {
 public:
  static std::shared_ptr<CancellationToken> Make();
  CancellationToken(const CancellationToken&) = delete;
  CancellationToken& operator=(const CancellationToken&) = delete;

  /// Cancels for good. Any thread.
  void Cancel();
  bool is_cancelled() const { return is_cancelled_; }

  /// Set once cancelled.
  const WakeEvent& event() const { return event_; }

  /// Has `stop` called on cancellation, at once if that came before, as long as the returned value lives. Each step of
  /// a run is stopped by means of its own, one step at a time; a cancellation between steps ends the next one.
  std::shared_ptr<void> Watch(std::function<void()> stop);

 private:
  CancellationToken() = default;

  WakeEvent event_;
  std::atomic<bool> is_cancelled_ = false;
  std::mutex mutex_;
  std::function<void()> stop_;  // of the step that runs; null: none does
};

}  // namespace acutance
