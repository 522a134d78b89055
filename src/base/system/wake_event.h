// Waiting for input that another thread can end.
#pragma once

#include <atomic>
#include <memory>

namespace acutance {

/// Set once, for good.
class WakeEvent {
 public:
  WakeEvent();
  ~WakeEvent();
  WakeEvent(const WakeEvent&) = delete;

  /// Whether the system had the means for it; without, waits do not end.
  bool ok() const;
  /// Ends WaitForInput in all threads that wait on it.
  void Set();
  bool is_set() const { return is_set_; }

  struct State;
  State& state() const { return *state_; }

 private:
  const std::unique_ptr<State> state_;
  std::atomic<bool> is_set_ = false;
};

enum class WaitEnd { kInput, kWoken, kFailed };  // kFailed: for the reason in errno

/// Waits until a pipe, a terminal or the like has input or its end, or one of the events is set. `second` may be null.
WaitEnd WaitForInput(int file, const WakeEvent& first, const WakeEvent* second);

}  // namespace acutance
