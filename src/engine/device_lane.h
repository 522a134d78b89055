// One device at work: frames go in one by one, run in batches, two batches in flight.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "engine/feature_set.h"
#include "engine/frame_job.h"
#include "exec/device.h"
#include "exec/plan.h"
#include "exec/run_plan.h"

namespace acutance {

/// Runs the metrics that have a device plan. A device that fails hands its frames, and all that follow, to the CPU:
/// scores do not change.
class DeviceLane {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// Prepares the plans of every run that has one. Fails when the device cannot hold a single frame pair.
  static Result<std::unique_ptr<DeviceLane>> Make(std::unique_ptr<Device> device, const FeatureSet& features,
                                                  const PictureFormat& format, int distorted_count, Warn warn);
  ~DeviceLane();  // drops what is not done
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;

  const DeviceInfo& info() const { return device_->info(); }
  const std::vector<int>& runs() const { return runs_; }  // indices into FeatureSet::runs()
  int batch() const { return context_.batch; }

  /// Takes the device runs of a frame; frames come in order.
  void Submit(std::shared_ptr<FrameJob> job);

  /// No more frames come: runs a last batch that is not full.
  void Drain();

 private:
  /// A batch in flight. Metrics that read the reference alone run with the first distorted video only.
  struct Slot {
    std::unique_ptr<PlanRunner> all;        // every plan
    std::unique_ptr<PlanRunner> distorted;  // plans that read the distorted picture; for the second video and up
    std::vector<std::shared_ptr<FrameJob>> jobs;
  };

  DeviceLane(std::unique_ptr<Device> device, const FeatureSet& features, int distorted_count, Warn warn);
  Status Prepare(const PictureFormat& format);
  Status PlanRuns(const PictureFormat& format);
  Status MakeSlots();
  Result<std::vector<Plan>> MakePlans(const std::vector<int>& runs, const PlanContext& context) const;
  void Work();
  bool BatchIsReady() const;
  void StartBatch(Slot& slot);
  void FinishBatch(Slot& slot);
  Status StartRunner(PlanRunner& runner, const Slot& slot, int distorted) const;
  Status CollectBatch(Slot& slot);
  void Deliver(Slot& slot, const PlanRunner& runner, const std::vector<int>& runs, int distorted);
  void Fail(const Status& status);
  void HandToCpu(std::vector<std::shared_ptr<FrameJob>> jobs);

  const FeatureSet& features_;
  const int distorted_count_;
  const Warn warn_;
  const std::unique_ptr<Device> device_;
  std::vector<int> runs_;            // all of them, in the order of the plans of Slot::all
  std::vector<int> distorted_runs_;  // in the order of the plans of Slot::distorted
  int history_ = 0;
  PlanContext context_;
  std::vector<Slot> slots_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<FrameJob>> waiting_;
  bool draining_ = false;
  bool stopping_ = false;
  bool failed_ = false;
  std::thread thread_;
};

}  // namespace acutance
