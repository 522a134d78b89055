// Whether the CPU computes frames that devices are behind with.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

namespace acutance {

/// Compares the rate that the CPU would add with that of the devices, by the times of finished
/// frames. Workers that compute share the processor and its memory with those that copy pictures
/// to the devices, so that a small gain is a loss.
class CpuHelp {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the clock: frames come from now on.
  void Start(Clock::time_point now);

  /// How many of `workers`, which have nothing else to do, should take a frame each: all, none, or one to learn how
  /// long it takes.
  int Workers(int workers, Clock::time_point now);

  /// The CPU begins a frame.
  void OnTaken();
  void OnDeviceFrame();
  /// The CPU computed a frame in so much time of its workers.
  void OnCpuFrame(Clock::duration work);

 private:
  std::mutex mutex_;  // guards all that follows
  Clock::time_point start_;
  int64_t device_frames_ = 0, cpu_frames_ = 0;
  Clock::duration work_{};  // of all cpu_frames_
  bool has_taken_ = false;
};

}  // namespace acutance
