// Alignment plans of a run, and the reading of its videos for them.
#pragma once

#include <vector>

#include "align/alignment_plan.h"
#include "align/confirm_alignment.h"
#include "base/status.h"
#include "run/encode_groups.h"
#include "run/score_run.h"
#include "run/video_cache.h"

namespace acutance {

/// The inputs of a run's alignment, before its videos are opened.
AlignmentTask AlignmentTaskOf(const RunRequest& request, const VideoCache& videos);

/// The plan before the first attempt. On the CPU, where a restart is expensive, the first frames of two files are
/// compared. An error is one of a pairs file or of memory: the attempt reports a video that cannot be read.
Result<AlignmentPlan> PlanFirstAttempt(const RunRequest& request, VideoCache& videos);

/// The plan after an attempt whose frames were misaligned. task: with the videos as that attempt opened them. Reads the
/// fingerprints of all frames, unless an estimate is allowed and the first frames show a constant offset. Distorted
/// videos that are aligned with other frames of the reference have plans of their own.
Result<std::vector<GroupPlan>> PlanNextAttempt(const RunRequest& request, const AlignmentTask& task,
                                               const AlignmentPlan& failed, Misalignment misalignment,
                                               VideoCache& videos);

}  // namespace acutance
