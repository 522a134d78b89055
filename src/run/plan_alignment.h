// Reading of a run's videos for the plan of their alignment.
#pragma once

#include <vector>

#include "align/alignment_plan.h"
#include "align/confirm_alignment.h"
#include "base/status.h"
#include "run/score_run.h"
#include "run/video_cache.h"

namespace acutance {

/// What the alignment of a run depends on, with the names of its videos alone.
AlignmentTask AlignmentTaskOf(const RunRequest& request, const VideoCache& videos);

/// The plan before the first attempt. Where frames are scored on the CPU, so that a restart is dear, the first frames
/// of two files are compared. An error is one of a pairs file or of memory: a video that cannot be read is the
/// attempt's to report.
Result<AlignmentPlan> PlanFirstAttempt(const RunRequest& request, VideoCache& videos);

/// The plan after an attempt whose frames were not aligned as planned. task: with the videos as the attempt opened
/// them. Reads the fingerprints of all frames, except where an estimate is allowed and the first frames show a plain
/// offset.
Result<AlignmentPlan> PlanNextAttempt(const RunRequest& request, const AlignmentTask& task, const AlignmentPlan& failed,
                                      Misalignment misalignment, VideoCache& videos);

}  // namespace acutance
