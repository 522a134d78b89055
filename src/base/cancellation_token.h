// Cancellation of a run from any thread, in every step, also while it waits for a pipe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace acutance {

class CancellationToken : public std::enable_shared_from_this<CancellationToken> {
 public:
  static std::shared_ptr<CancellationToken> Make();
  ~CancellationToken();
  CancellationToken(const CancellationToken&) = delete;
  CancellationToken& operator=(const CancellationToken&) = delete;

  /// Cancels for good. Any thread.
  void Cancel();
  bool is_cancelled() const { return is_cancelled_; }

  /// A descriptor for poll(), readable once cancelled. -1: the system had none left, and waits for pipes do not end.
  int descriptor() const { return descriptor_; }

  /// Has `stop` called on cancellation, at once if that came before, as long as the returned value lives. Each step of
  /// a run is stopped by means of its own, one step at a time; a cancellation between steps ends the next one.
  std::shared_ptr<void> Watch(std::function<void()> stop);

 private:
  CancellationToken();

  const int descriptor_;
  std::atomic<bool> is_cancelled_ = false;
  std::mutex mutex_;
  std::function<void()> stop_;  // of the step that runs; null: none does
};

}  // namespace acutance
