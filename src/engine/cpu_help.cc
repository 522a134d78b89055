#include "engine/cpu_help.h"

namespace acutance {
namespace {

// Two H200 with 32 threads, 16 of which helped, did 13,750 frames/s at 1080p; with 24 threads 19,450
// (docs/history/performance-log.md).
constexpr double kLeastGain = 1.0 / 8;

}  // namespace

void CpuHelp::Start(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  start_ = now;
}

int CpuHelp::Workers(int workers, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (workers <= 0) return 0;
  if (cpu_frames_ == 0) return has_taken_ ? 0 : 1;
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  // One more than are done: devices that have done none yet may be about to.
  const double by_devices = static_cast<double>(device_frames_ + 1) / seconds(now - start_);
  const double by_workers = workers * static_cast<double>(cpu_frames_) / seconds(work_);
  return by_workers >= kLeastGain * by_devices ? workers : 0;
}

void CpuHelp::OnTaken() {
  const std::lock_guard lock(mutex_);
  has_taken_ = true;
}

void CpuHelp::OnDeviceFrame() {
  const std::lock_guard lock(mutex_);
  ++device_frames_;
}

void CpuHelp::OnCpuFrame(Clock::duration work) {
  const std::lock_guard lock(mutex_);
  ++cpu_frames_;
  work_ += work;
}

}  // namespace acutance
