// Pass/fail on a video's mean score, scoring only as many frames as needed (docs/use/decisions.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "run/score_run.h"
#include "stats/mean_gate.h"

namespace acutance {

struct MeanVerdict {
  MeanGateChoice gate;
  std::string reference, distorted;
  std::string score;  // the model's name
  bool holds = false;
  bool is_certain = false;  // regardless of the frames that were not scored
  double mean_of_read = 0;
  double least_mean = 0, greatest_mean = 0;  // bounds of the mean of all frames
  int64_t frames = 0, frames_read = 0;       // read: with the frames around the blocks that count
  std::vector<std::string> warnings;

  double confidence() const { return is_certain ? 1.0 : gate.confidence; }
};

struct MeanProgress {
  int64_t frames_read = 0, frames = 0;
  std::string score;
  std::optional<double> mean{};  // of what was read; not set: not known yet
};

/// Judges the mean of the first model's score. The request's outputs and choice of frames are ignored, except
/// skip_reference and frame_limit. on_progress is called whenever more was read; where it returns kStop, the result is
/// kCancelled instead of a verdict.
Result<MeanVerdict> JudgeMean(const RunRequest& request, const MeanGateChoice& gate,
                              const std::function<FrameAction(const MeanProgress&)>& on_progress);

}  // namespace acutance
