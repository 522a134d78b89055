// One device at work: takes frames in batches, several batches in flight.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "engine/feature_set.h"
#include "engine/frame_job.h"
#include "engine/frame_queue.h"
#include "exec/device.h"
#include "exec/plan.h"
#include "exec/run_plan.h"

namespace acutance {

/// What all lanes of a session share.
struct LaneSettings {
  int distorted_count = 1;
  std::optional<size_t> max_memory;  // of the device, in bytes; not set: DefaultDeviceMemory
  bool import_pictures = true;       // where the device can read them where they lie
  ForEach for_each;                  // shares out the copying of pictures
  std::function<void(const std::string&)> warn;
  std::function<void(FrameQueue::Jobs)> done;  // takes the frames of which nothing is left to do
};

/// What a session takes of a device's memory at most, unless told otherwise: 1 GB up to 4K, then growing with the area.
size_t DefaultDeviceMemory(const PictureFormat& format);

/// Runs the metrics that have a device plan. Two threads fill batches, another waits for them and hands out their sums.
/// A device that fails gives its frames back to the queue: scores do not change.
class DeviceLane {
 public:
  static constexpr int kThreads = 3;  // of its own

  /// Prepares the plans of every run that has one. Fails when the device cannot hold a single frame pair.
  static Result<std::unique_ptr<DeviceLane>> Make(std::unique_ptr<Device> device, const FeatureSet& features,
                                                  const PictureFormat& format, const LaneSettings& settings);
  ~DeviceLane();  // drops what is not done; the queue must have been stopped
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;

  const DeviceInfo& info() const { return device_->info(); }
  const std::vector<int>& runs() const { return runs_; }  // indices into FeatureSet::runs()
  int history() const { return history_; }                // frames before a batch that it needs
  int batch() const { return context_.batch; }
  /// Frames that keep it busy.
  int frames_in_flight() const { return batch() * (static_cast<int>(slots_.size()) + 1); }
  size_t memory_bytes() const { return memory_bytes_; }  // of the device
  /// Before it takes pictures that lie in its device's memory.
  Status WaitForClients() const { return device_->WaitForClients(); }

  /// Joins the queue and begins to work.
  void Start(FrameQueue& frames);

 private:
  /// A batch in flight. Metrics that read the reference alone run with the first distorted video only.
  struct Slot {
    std::unique_ptr<PlanRunner> all;        // every plan
    std::unique_ptr<PlanRunner> distorted;  // plans that read the distorted picture; for the second video and up
    FrameQueue::Jobs jobs;
    Status started;
  };
  using Slots = std::deque<Slot*>;

  DeviceLane(std::unique_ptr<Device> device, const FeatureSet& features, const LaneSettings& settings);
  Status PlanRuns(const PictureFormat& format);
  Status MakeSlots();
  Status MakeSlots(int count);
  PlanRunner::Options RunnerOptions(const PlanRunner* first);
  Result<size_t> SlotBytes() const;
  bool HasSecondVideo() const { return settings_.distorted_count > 1 && !distorted_runs_.empty(); }
  Result<std::vector<Plan>> MakePlans(const std::vector<int>& runs, const PlanContext& context) const;
  void Fill();
  void Finish();
  Slot* WaitFor(Slots& slots);
  void Put(Slots& slots, Slot* slot);
  Status StartRunner(PlanRunner& runner, const Slot& slot, int distorted) const;
  Status CollectBatch(Slot& slot);
  void Deliver(Slot& slot, const PlanRunner& runner, const std::vector<int>& runs, int distorted);
  void GiveUp(const Status& status, Slot* failed);

  const FeatureSet& features_;
  const LaneSettings settings_;
  const std::unique_ptr<Device> device_;
  HostImports imports_;
  std::vector<int> runs_;            // all of them, in the order of the plans of Slot::all
  std::vector<int> distorted_runs_;  // in the order of the plans of Slot::distorted
  int history_ = 0;
  PlanContext context_;
  std::vector<Slot> slots_;
  size_t memory_bytes_ = 0;
  FrameQueue* frames_ = nullptr;

  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Slots idle_, busy_;
  std::vector<std::thread> fill_threads_;
  std::thread finish_thread_;
};

}  // namespace acutance
