// How long waits for a device last. A GPU that hangs says nothing, and many drivers have no watchdog of their own.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/environment.h"
#include "base/status.h"

namespace acutance {

/// Shared by all waits for one device, on any threads.
class ProgressTimeout {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressTimeout() { Limit(Usual()); }

  /// $ACUTANCE_DEVICE_TIMEOUT in seconds, or a minute; what is no number of seconds is ignored.
  static std::chrono::milliseconds Usual() {
    constexpr double kSeconds = 60, kMostSeconds = 1e6;
    double seconds = kSeconds;
    const bool is_number = ReadVariable("ACUTANCE_DEVICE_TIMEOUT", seconds).ok();
    if (!is_number || !(seconds > 0 && seconds <= kMostSeconds)) seconds = kSeconds;
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
  }

  /// From now on a wait ends after so long in which nothing ended that the device was given.
  void Limit(std::chrono::milliseconds longest) { limit_ = Clock::duration(longest).count(); }

  /// Asks `has_ended`, a function that gives a Result<bool>, until it says so. False: the device made no progress.
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
  std::atomic<Clock::rep> progress_ = 0;  // when something ended last
};

}  // namespace acutance
