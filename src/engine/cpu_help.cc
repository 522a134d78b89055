#include "engine/cpu_help.h"

namespace acutance {
namespace {

// Two H200 at 19,500 frames/s fell to 13,800 when 16 workers added 2,000 (docs/performance.md).
constexpr double kLeastGain = 1.0 / 8;

}  // namespace

void CpuHelp::Start(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  start_ = now;
}

int CpuHelp::Workers(int workers, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (workers <= 0) return 0;
  if (cpu_frames_ == 0) {
    const bool first = !tried_;
    tried_ = true;
    return first ? 1 : 0;
  }
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
  // Frames in hand count as done, so that the first seconds are no slower than they are.
  const double by_devices = static_cast<double>(device_frames_ + 1) / seconds(now - start_);
  const double by_workers = workers * static_cast<double>(cpu_frames_) / seconds(work_);
  return by_workers >= kLeastGain * by_devices ? workers : 0;
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
