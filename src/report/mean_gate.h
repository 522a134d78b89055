// Whether a video's mean score reaches a bound, from as few frames as settle it (docs/use/decisions.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "run/score_run.h"

namespace acutance {

struct MeanGateChoice {
  bool at_least = true;  // else at most
  double bound = 0;
  bool certain = false;  // only a verdict that holds whatever the other frames may be
  double confidence = 0.999;
  uint64_t seed = 1;
};

struct MeanVerdict {
  MeanGateChoice gate;
  std::string reference, distorted;
  std::string score;  // its shown name
  bool holds = false;
  bool is_certain = false;  // whatever the other frames may be
  double mean_of_read = 0;
  double least_mean = 0, greatest_mean = 0;  // of all frames, whatever those unread may be
  int64_t frames = 0, frames_read = 0;       // read: with those round the frames that count
  std::vector<std::string> warnings;

  double confidence() const { return is_certain ? 1.0 : gate.confidence; }
  std::string Sentence() const;
};

struct MeanProgress {
  int64_t frames_read = 0, frames = 0;
  std::string score;
  std::optional<double> mean{};  // of what was read; not set: not told yet
};

/// Judges the mean of the first model's score. The request's outputs are not used, nor its choice of frames but for
/// skip_reference and frame_limit. on_progress is called whenever more was read; where it returns kStop, the result is
/// kCancelled instead of a verdict.
Result<MeanVerdict> JudgeMean(const RunRequest& request, const MeanGateChoice& gate,
                              const std::function<Next(const MeanProgress&)>& on_progress);

/// The verdict as docs/schema/acutance-1.json describes it.
Json MeanVerdictJson(const MeanVerdict& verdict);

}  // namespace acutance
