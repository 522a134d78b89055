// Part of a device lane: the metric runs that have the same frames, and their work on a batch.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engine/feature_set.h"
#include "engine/frame_queue.h"
#include "exec/device.h"
#include "exec/plan.h"
#include "exec/run_plan.h"
#include "metric/plan_context.h"

namespace acutance {

/// The videos of a session as a device gets them.
struct LaneVideos {
  int distorted_count = 1;
  std::vector<VideoConversion> scalings = {};  // of those whose pictures come lazy
};

/// With subsampling a lane has two parts: the runs of every frame, and those of scored frames. For the frames between,
/// a device then computes only what every frame needs.
class LanePart {
 public:
  /// What the part does, for batches of a size.
  struct Work {
    PlanContext context;
    std::vector<Plan> plans;
    std::optional<Plan> derive;  // computes their derived inputs

    /// Whether a cached runner can be reused.
    bool IsSameAs(const Work& other) const;
  };

  /// runs: indices into FeatureSet::runs(). The part has the frames whose index `stride` divides.
  LanePart(const FeatureSet& features, std::vector<int> runs, int stride, const LaneVideos& videos)
      : features_(features), runs_(std::move(runs)), stride_(stride), videos_(videos) {}

  /// Makes the plans for a lane whose batches have `frames` consecutive frames. streams: PlanContext::streams
  Status MakePlans(const PictureFormat& format, int frames, std::string_view family, bool streams = false);
  const Work& work() const { return work_; }
  size_t device_bytes() const {  // of a runner
    return PlanRunner::DeviceBytes(work_.plans, work_.derive, work_.context);
  }
  /// uploads_with: another runner of this part, or null. planes: PlanRunner::Options::kept.
  Result<std::unique_ptr<PlanRunner>> MakeRunner(Device& device, ForEach for_each, const PlanRunner* uploads_with,
                                                 PlaneCache* planes);
  /// Reuses a cached runner of the same work.
  void Adopt(PlanRunner& runner, ForEach for_each) { runner.Attach(std::move(for_each)); }

  /// Whether the frames of a batch must follow one another, for metrics that compare them.
  bool needs_history() const;
  bool HasFrame(int64_t index) const { return index % stride_ == 0; }

  /// Starts the work on a batch of the lane that has a frame of this part. `before`: see PlanRunner::Start.
  Status Start(PlanRunner& runner, const FrameQueue::Jobs& jobs, PlanRunner* before) const;
  void Deliver(const PlanRunner& runner, const FrameQueue::Jobs& jobs) const;

 private:
  BatchPictures PicturesOf(const FrameQueue::Jobs& jobs, bool follows) const;

  const FeatureSet& features_;
  const std::vector<int> runs_;  // in the order of the plans
  const int stride_;
  const LaneVideos videos_;
  Work work_;
};

/// The parts of a lane with `runs`, in the order in which they run on the device. The first alone may need history.
std::vector<std::unique_ptr<LanePart>> MakeLaneParts(const FeatureSet& features, const std::vector<int>& runs,
                                                     int subsample, const LaneVideos& videos);

}  // namespace acutance
