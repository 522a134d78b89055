// Pass/fail on a video's mean score, scoring only as many frames as needed (docs/use/decisions.md).
#pragma once

#include <acutance/run.h>

#include <functional>

#include "base/status.h"
#include "run/score_run.h"

namespace acutance {

/// Judges the mean of the first model's score. The request's outputs and choice of frames are ignored, except
/// skip_reference and frame_limit. on_progress is called as frames are read; unless it returns kContinue, the
/// result is kCancelled instead of a verdict.
Result<MeanVerdict> JudgeMean(const RunRequest& request, const MeanGate& gate,
                              const std::function<FrameAction(const Progress&)>& on_progress);

}  // namespace acutance
