// The metric runs of a device lane that have the same frames, and their work on a batch.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engine/feature_set.h"
#include "engine/frame_queue.h"
#include "exec/device.h"
#include "exec/plan.h"
#include "exec/run_plan.h"
#include "metric/plan_context.h"

namespace acutance {

/// The videos of a session, as a device gets them.
struct LaneVideos {
  int distorted_count = 1;
  std::vector<VideoScaling> scalings = {};  // of those whose pictures come unmade
};

/// With subsampling a lane has two parts: the runs of every frame, and those of the frames that are kept. A device then
/// computes nothing for the frames between but what needs them.
class LanePart {
 public:
  /// runs: indices into FeatureSet::runs(). The part has the frames whose index `stride` divides.
  LanePart(const FeatureSet& features, std::vector<int> runs, int stride, const LaneVideos& videos)
      : features_(features), runs_(std::move(runs)), stride_(stride), videos_(videos) {}
  LanePart(const LanePart&) = delete;  // runners point to the trial
  LanePart& operator=(const LanePart&) = delete;

  /// Makes the plans for a lane whose batches have `frames` consecutive frames.
  Status MakePlans(const PictureFormat& format, int frames, std::string_view family);
  size_t device_bytes() const { return PlanRunner::DeviceBytes(plans_, derive_, context_); }  // of a runner
  /// uploads_with: another runner of this part, or null.
  Result<std::unique_ptr<PlanRunner>> MakeRunner(Device& device, ForEach for_each, const PlanRunner* uploads_with);

  /// Whether the frames of a batch must follow one another, for metrics that compare them.
  bool needs_history() const;
  bool HasFrame(int64_t index) const { return index % stride_ == 0; }

  /// Starts the work on a batch of the lane that has a frame of this part. `before`: see PlanRunner::Start.
  Status Start(PlanRunner& runner, const FrameQueue::Jobs& jobs, PlanRunner* before) const;
  void Deliver(const PlanRunner& runner, const FrameQueue::Jobs& jobs) const;

 private:
  const FeatureSet& features_;
  const std::vector<int> runs_;  // in the order of the plans
  const int stride_;
  const LaneVideos videos_;
  PackTrial pack_trial_;
  PlanContext context_;
  std::vector<Plan> plans_;
  std::optional<Plan> derive_;  // what derives inputs of them
};

/// The parts of a lane with `runs`, in the order in which they run on the device. The first alone may need history.
std::vector<std::unique_ptr<LanePart>> MakeLaneParts(const FeatureSet& features, const std::vector<int>& runs,
                                                     int subsample, const LaneVideos& videos);

}  // namespace acutance
