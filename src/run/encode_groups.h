// Groups of a run's distorted videos that one session scores as it would score each alone.
//
// Videos share a session, and its work on the reference, where this one has the same frames and conversions for each of
// them. Others have sessions of their own, one after another, and the run's results are put together at the end.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "align/alignment_plan.h"
#include "base/status.h"
#include "run/score_run.h"

namespace acutance {

/// Indices of distorted videos, growing.
using VideoGroup = std::vector<size_t>;

/// The videos with equal keys; groups in the order of their first videos. keys: by distorted video.
std::vector<VideoGroup> GroupByKey(const std::vector<std::string>& keys);

/// The videos that a group lacks.
VideoGroup OthersOf(const VideoGroup& group, size_t videos);

/// The items of `all` at these places.
VideoGroup ItemsAt(const VideoGroup& places, const VideoGroup& all);

/// The same for a part of the distorted videos alone.
RunRequest PartOf(const RunRequest& request, const VideoGroup& group);
AlignmentTask PartOf(const AlignmentTask& task, const VideoGroup& group);
AlignmentPlan PartOf(const AlignmentPlan& plan, const VideoGroup& group);
ScoredRun PartOf(ScoredRun run, const VideoGroup& group);

/// A plan for some of a task's distorted videos, whose pairs have the same frames of the reference.
struct GroupPlan {
  VideoGroup group;
  AlignmentPlan plan;
};

/// Plans from all frames, of each video as if it were alone (PlanFromTracks). tracks: by video; damages: by video, or
/// empty.
Result<std::vector<GroupPlan>> PlanGroups(const AlignmentTask& task, std::vector<FrameTrack> tracks,
                                          const std::vector<Status>& damages);

/// The same from the plans of single videos, by distorted video.
Result<std::vector<GroupPlan>> GroupPlans(size_t videos, const std::function<Result<AlignmentPlan>(size_t)>& plan_of);

struct ScoredGroup {
  VideoGroup group;
  ScoredRun run;
};

/// The run of all `videos` that the groups are together. Of several groups with an error, no scores remain.
ScoredRun JoinGroups(std::vector<ScoredGroup> groups, size_t videos);

}  // namespace acutance
