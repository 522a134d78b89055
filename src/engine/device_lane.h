// Device lane: runs a session's frames on one device, in batches, several of them in flight.
//
//   FrameQueue --Take--> fill threads (2, in turn)            finish thread
//                          idle slot -> busy slot                 wait for the batch's queue
//                          upload pictures, submit plans          read results, verify, hand out -> FrameJob::done
//                          (PlanRunner)                           busy slot -> idle slot
//
// A slot has a runner for each part and the batch's jobs. A batch whose device fails goes back to the queue.
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
#include "base/time_sum.h"
#include "engine/device_cache.h"
#include "engine/feature_set.h"
#include "engine/frame_job.h"
#include "engine/frame_queue.h"
#include "engine/lane_part.h"
#include "engine/session_spec.h"
#include "exec/device.h"
#include "exec/run_plan.h"

namespace acutance {

/// What the lanes of a session share.
struct LaneSettings {
  const SessionSpec& spec;     // its conversions: those that devices do. Outlives the lanes
  const FeatureSet& features;  // likewise
  int most_frames = 1 << 20;   // in flight
  ForEach for_each;            // spreads the copying of pictures over threads
  std::function<void(const std::string&)> warn;
  std::function<void(FrameQueue::Jobs)> done;  // takes finished frames
  std::function<void(Status)> fail;            // ends the session
  std::function<bool()> cancelled{};           // whether to stop making lanes; null: never
};

/// Seconds of the threads that fill a lane's batches.
struct LaneTimes {
  double filling = 0;    // preparing and uploading pictures
  double computing = 0;  // waiting for the device to end a batch
  double starving = 0;   // waiting for frames

  LaneTimes& operator+=(const LaneTimes& other) {
    filling += other.filling, computing += other.computing, starving += other.starving;
    return *this;
  }
};

/// The device memory with which a session is about as fast as with more: 10 GB up to 4K, then growing with the area.
/// Measured with the metrics that need the most (docs/use/devices.md).
size_t WantedDeviceMemory(const PictureFormat& format);

/// Runs the metrics that have a device plan. After a failure its frames go back to the queue: scores do not change. A
/// device that lacks memory first tries again with smaller batches, because other programs may hold memory briefly.
class DeviceLane {
 public:
  static constexpr int kThreads = 3;  // of its own
  static constexpr int kMostRetries = 3;

  /// Prepares the plans of every run that has one. Fails when the device cannot hold a single frame pair.
  static Result<std::unique_ptr<DeviceLane>> Make(CachedDevice device, const LaneSettings& settings);
  /// Drops unfinished work; the queue must have been stopped. Waits briefly for the device: one that hangs is abandoned
  /// with the memory that it may still write.
  ~DeviceLane();
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;

  const DeviceInfo& info() const { return device().info(); }
  const std::vector<int>& runs() const { return runs_; }  // indices into FeatureSet::runs()
  /// Whether the frames of a batch must follow one another, for metrics that compare them.
  bool needs_history() const { return parts_.front()->needs_history(); }
  int batch() const { return batch_; }
  int frames_in_flight() const { return batch() * (static_cast<int>(slots_.size()) + 1); }
  size_t memory_bytes() const { return memory_bytes_; }  // of the device
  /// What the lane takes where limits and the device allow it; with less it is slower.
  size_t wanted_bytes() const { return wanted_bytes_; }
  LaneTimes times() const { return {filling_.seconds(), computing_.seconds(), starving_.seconds()}; }
  /// Waits for clients' work on pictures in the device's memory; called before the lane takes them.
  Status WaitForClients() const { return device().WaitForClients(); }

  /// Joins the queue and begins to work. After an error the lane may only be destroyed.
  Status Start(FrameQueue& frames);

  /// Ends the lane's threads, as the destructor does. Returns the device for later lanes unless it failed or a batch
  /// did not end. The lane may then only be destroyed.
  std::optional<CachedDevice> Retire();

 private:
  /// A batch in flight.
  struct Slot {
    PlanRunner& runner() const { return *runners.front(); }  // the one whose pictures are history

    std::vector<std::unique_ptr<PlanRunner>> runners;  // of the parts
    FrameQueue::Jobs jobs;
    PlanRunner* before = nullptr;  // holds the pictures before these frames
    Status started;
  };
  using Slots = std::vector<Slot*>;  // with room for all of them
  /// How many batches are in flight, and of how many frames.
  struct Batches {
    int frames = 1, count = 1;
    bool streams = false;  // PlanContext::streams
    size_t bytes = 0;      // of the device's memory, for all of them
    bool is_least() const { return frames == 1 && count == 1 && !streams; }
  };

  DeviceLane(CachedDevice device, const LaneSettings& settings);
  Device& device() const { return *cached_.device; }
  Status Prepare();
  bool TakeKit();
  Status MakeSlots();
  Status MakeSlots(Batches most, size_t limit, bool is_limit_firm);
  Batches Smaller(const Batches& batches) const;
  bool Streams() const;
  Batches Most(int frames) const;
  Result<Batches> Fit(Batches batches, size_t limit);
  Status MakeRunners(int count);
  Status StartFilling();
  void StopFilling(bool for_good);
  void EndThreads();
  void DropSlots();
  bool EndBatches() const;
  void Fill();
  bool FillSlot(Slot& slot);
  void Finish();
  Status FinishSlots();
  Slot* WaitFor(Slots& slots);
  void Put(Slots& slots, Slot* slot);
  bool Take(Slot& slot);
  FrameQueue::Jobs TakeJobs();
  bool HasWork(const Slot& slot, size_t part) const;
  Status Start(Slot& slot) const;
  Status Wait(Slot& slot) const;
  void Deliver(const Slot& slot) const;
  void Verify(FrameQueue::Jobs& jobs) const;
  bool Recover(const Status& status, Slot* failed);
  bool TryAgain(const Status& status);
  bool is_ending();
  FrameQueue::Jobs TakeUnfinished(Slot* failed);
  void Warn(const Status& status, std::string_view what_follows) const;

  const LaneSettings settings_;
  const SessionSpec& spec_;
  CachedDevice cached_;
  std::vector<int> runs_;
  CachedRunners::Key key_;
  std::vector<std::unique_ptr<LanePart>> parts_;
  int batch_ = 0;
  bool streams_ = false;
  std::vector<Slot> slots_;
  size_t memory_bytes_ = 0, wanted_bytes_ = 0;
  FrameQueue* frames_ = nullptr;

  std::atomic<int> batches_out_ = 0;  // taken and not finished

  TimeSum filling_, computing_, starving_;
  std::mutex take_mutex_;       // guards what follows
  Slot* last_taken_ = nullptr;  // the slot of the latest batch, and the frame after it
  int64_t next_frame_ = 0;

  int retries_ = 0;
  bool has_failed_ = false;  // for the threads that end it
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool ending_ = false;  // the lane is being destroyed
  Slots idle_, busy_;
  std::vector<std::thread> fill_threads_;
  std::thread finish_thread_;
};

}  // namespace acutance
