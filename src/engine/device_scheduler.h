// Scheduler of a session's devices: chooses them, gives each a lane, and queues frames for them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/thread_pool.h"
#include "devices/backends.h"
#include "engine/device_cache.h"
#include "engine/device_lane.h"
#include "engine/feature_set.h"
#include "engine/frame_queue.h"

namespace acutance {

class DeviceScheduler {
 public:
  using Jobs = FrameQueue::Jobs;

  struct Settings {
    int distorted_count = 1;
    int subsample = 1;
    int threads = 1;
    std::shared_ptr<DevicePicker> devices;  // null: the CPU alone
    std::shared_ptr<DeviceCache> cache;     // takes the devices back; null: they are closed
    std::optional<size_t> max_memory;       // bytes of each device
    int verify = 0;                         // one of this many frames is computed again on the CPU; 0: none
    std::function<void(const std::string&)> warn;
    std::function<void(Jobs)> done;    // takes finished frames
    std::function<void(Status)> fail;  // ends the session
  };

  explicit DeviceScheduler(Settings settings) : settings_(std::move(settings)) {}

  /// Opens the first devices that can run something, and marks the runs that are theirs. No device is an error where
  /// the CPU was not allowed. conversions: of the videos whose pictures come lazy. most_frames: in flight.
  Status Choose(FeatureSet& features, const PictureFormat& format, const std::vector<VideoConversion>& conversions,
                int most_frames);

  /// Devices begin to work. The pool copies their pictures, unless it has no other work: then threads of their own do.
  Status Start(ThreadPool& pool, bool pool_has_other_work);

  /// Ends the devices' threads and drops what they have not done. The pool must still be there.
  void Stop();

  /// Since Choose, and also after Stop.
  bool has_devices() const { return has_devices_; }
  const std::vector<std::unique_ptr<DeviceLane>>& lanes() const { return lanes_; }

  /// Frames that keep all of them busy.
  int frames_in_flight() const;

  /// Called before the first device takes pictures that lie in its memory.
  Status WaitForClients() const;

  void Add(std::shared_ptr<FrameJob> job) { frames_->Add(std::move(job)); }

  /// No more frames come.
  void Drain();

 private:
  std::vector<KeptDevice> NextDevices();
  void MakeLanes(std::vector<KeptDevice> devices, const FeatureSet& features, const PictureFormat& format,
                 const std::vector<VideoConversion>& conversions, int most_frames);
  void GiveBack();
  Status NoDevice() const;
  Status ForEach(int count, const std::function<void(int)>& work);
  void Warn(const std::string& warning);

  const Settings settings_;
  bool has_devices_ = false;
  bool has_all_ = false;                  // each device of the choice has a lane
  std::vector<std::string> passed_over_;  // devices, and why
  ThreadPool* pool_ = nullptr;
  std::unique_ptr<ThreadPool> copy_pool_;  // copies pictures to devices; null: pool_ does
  std::unique_ptr<FrameQueue> frames_;
  std::vector<std::unique_ptr<DeviceLane>> lanes_;
};

}  // namespace acutance
