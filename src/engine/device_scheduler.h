// Scheduler of a session's devices: chooses them, gives each a lane, and queues frames for them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/threads/thread_pool.h"
#include "engine/device_cache.h"
#include "engine/device_lane.h"
#include "engine/feature_set.h"
#include "engine/frame_queue.h"
#include "engine/session_spec.h"

namespace acutance {

class DeviceScheduler {
 public:
  using Jobs = FrameQueue::Jobs;
  using Lanes = std::vector<std::unique_ptr<DeviceLane>>;

  /// spec: outlives it; its conversions: those that devices do. done: takes finished frames. fail: ends the session.
  DeviceScheduler(const SessionSpec& spec, std::function<void(const std::string&)> warn, std::function<void(Jobs)> done,
                  std::function<void(Status)> fail)
      : spec_(spec), warn_(std::move(warn)), done_(std::move(done)), fail_(std::move(fail)) {}

  /// Opens the first devices that can run something, and marks the runs that are theirs. No device is an error where
  /// the CPU was not allowed. Devices that join later (DevicePicker::joins_later) are only made ready to be opened.
  /// features: outlives the scheduler. most_frames: in flight.
  Status Choose(FeatureSet& features, int most_frames);

  /// Devices begin to work. The pool copies their pictures, unless it has no other work: then threads of their own do.
  Status Start(ThreadPool& pool);

  /// Whether devices may join later.
  bool may_join() const { return late_ != nullptr; }
  /// Between two frames, by the thread that adds them: opens the devices in the background once it has waited for the
  /// CPU longer than it is willing to. True: they are ready, and begin to work as after Start.
  bool Join(double seconds_waited, ThreadPool& pool);

  /// Ends the devices' threads and drops what they have not done. The pool must still be there.
  void Stop();

  bool has_devices() const { return has_devices_; }  // since Choose or Join, and also after Stop
  const Lanes& lanes() const { return lanes_; }
  int frames_in_flight() const;

  /// Called before the first device takes pictures that lie in its memory.
  Status WaitForClients() const;

  void Add(std::shared_ptr<FrameJob> job) { frames_->Add(std::move(job)); }
  void Drain();
  void Resume();

 private:
  /// Devices that are opened while the CPU scores.
  struct Late {
    std::thread thread;
    std::atomic<bool> is_over = false, is_cancelled = false;
    Lanes lanes;  // once it is over
  };

  bool is_cancelled() const { return late_ && late_->is_cancelled; }
  Lanes OpenLanes();
  std::vector<CachedDevice> NextDevices();
  Lanes MakeLanes(std::vector<CachedDevice> devices);
  void OpenInBackground();
  void Adopt(Lanes lanes);
  void MarkRuns(bool on_device);
  void GiveBack();
  Status NoDevice() const;
  Status ForEach(int count, const std::function<void(int)>& work);
  void Warn(const std::string& warning);

  const SessionSpec& spec_;
  const std::function<void(const std::string&)> warn_;
  const std::function<void(Jobs)> done_;
  const std::function<void(Status)> fail_;
  FeatureSet* features_ = nullptr;
  int most_frames_ = 0;
  std::unique_ptr<Late> late_;  // null: no device joins later
  bool has_devices_ = false;
  bool has_all_ = false;                  // each device of the choice has a lane
  std::vector<std::string> passed_over_;  // devices, and why
  ThreadPool* pool_ = nullptr;
  std::unique_ptr<ThreadPool> copy_pool_;  // copies pictures to devices; null: pool_ does
  std::unique_ptr<FrameQueue> frames_;
  Lanes lanes_;
};

}  // namespace acutance
