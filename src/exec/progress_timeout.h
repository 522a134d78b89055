// Timeout on device progress, and the state of a device that is lost: a GPU that hangs reports nothing, and many
// drivers have no watchdog of their own.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/environment.h"
#include "base/status.h"

namespace acutance {

/// Shared by all waits for one device, on any threads.
class ProgressTimeout {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressTimeout() { Limit(Usual()); }

  /// $ACUTANCE_DEVICE_TIMEOUT in seconds, or a minute; a value that is not a number of seconds is ignored.
  static std::chrono::milliseconds Usual() {
    constexpr double kSeconds = 60, kMostSeconds = 1e6;
    double seconds = kSeconds;
    const bool is_number = ReadVariable("ACUTANCE_DEVICE_TIMEOUT", seconds).ok();
    if (!is_number || !(seconds > 0 && seconds <= kMostSeconds)) seconds = kSeconds;
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
  }

  /// From now on a wait ends once no work of the device has ended for `longest`.
  void Limit(std::chrono::milliseconds longest) { limit_ = Clock::duration(longest).count(); }

  /// Calls `has_ended`, which returns a Result<bool>, until it returns true. False: the device made no progress.
  template <class HasEnded>
  Result<bool> Wait(HasEnded&& has_ended) {
    const Clock::time_point begin = Clock::now();
    for (;;) {
      ACU_ASSIGN_OR_RETURN(const bool ended, has_ended());
      const Clock::time_point now = Clock::now();
      if (ended) {
        progress_ = now.time_since_epoch().count();
        return true;
      }
      if (IsOver(begin, now)) return false;
      Pause(now - begin);
    }
  }

 private:
  bool IsOver(Clock::time_point begin, Clock::time_point now) const {
    const Clock::rep last = std::max<Clock::rep>(begin.time_since_epoch().count(), progress_);
    return now.time_since_epoch().count() - last > limit_;
  }

  /// Most waits end soon; asking a driver takes its lock from the threads that submit.
  static void Pause(Clock::duration waited) {
    constexpr std::chrono::microseconds kShort{20}, kLong{500};
    if (waited < kShort) return std::this_thread::yield();
    std::this_thread::sleep_for(std::clamp<Clock::duration>(waited / 16, kShort, kLong));
  }

  std::atomic<Clock::rep> limit_;
  std::atomic<Clock::rep> progress_ = 0;  // when work last ended
};

/// Whether a device still takes calls. All its parts share it, on any threads.
class DeviceHealth {
 public:
  /// remedy: the end of the error's message.
  explicit DeviceHealth(std::string_view remedy = "open it again to use it") : remedy_(remedy) {}

  ProgressTimeout& patience() { return patience_; }

  /// A failure that no later call survives; the first one is remembered.
  void Lose(const Status& failure) {
    const std::lock_guard lock(mutex_);
    if (lost_.ok()) lost_ = failure;
  }
  /// The device hangs: calls would hang, too, and memory that it may still write is never freed.
  void Abandon() {
    is_abandoned_ = true;
    Lose(Status(StatusCode::kIo, "it hangs"));
  }
  bool is_abandoned() const { return is_abandoned_; }

  /// Ok, or why the device takes no calls any more.
  Status Check(std::string_view device) const {
    const std::lock_guard lock(mutex_);
    if (lost_.ok()) return {};
    return Error(StatusCode::kIo, "{} is lost since an earlier failure ({}); {}", device, lost_.message(), remedy_);
  }

 private:
  const std::string_view remedy_;
  ProgressTimeout patience_;
  std::atomic<bool> is_abandoned_ = false;
  mutable std::mutex mutex_;
  Status lost_;  // the first failure that lost the device
};

}  // namespace acutance
