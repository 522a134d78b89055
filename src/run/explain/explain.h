// Explanation of another tool's log: a search for the comparison of two videos that gives its scores.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "io/video_source.h"
#include "run/explain/hypothesis.h"
#include "run/explain/logged_scores.h"

namespace acutance {

/// A hypothesis and how far its scores lie from the log's.
struct ExplainCandidate {
  Hypothesis hypothesis;
  std::string text;
  double distance = 0;  // mean over the features of the mean difference, in units of the feature's deviation in the log
  double largest = 0;   // the largest absolute difference of a feature
};

struct Explanation {
  std::optional<ExplainCandidate> best, second;  // empty: nothing could be compared
  std::string model;  // "vmaf_v0.6.1neg with disable_clip"; empty: the log has no score that a built-in model gives
  double model_difference = 0;
  std::string engine;     // "libvmaf 3.2.1's plain C, or an equal engine"
  std::string change;     // what changes within the clip: "3 frames are missing ..."; empty: nothing
  std::string sampling;   // "every second frame is scored"; empty: all
  double confidence = 0;  // below 0.5: the cause is unknown
  std::vector<std::string> notes;

  bool is_known() const { return best && confidence >= 0.5; }
  std::string Sentence() const;
};

Result<Explanation> ExplainLog(const LoggedScores& log, const std::string& reference, const std::string& distorted,
                               const OpenOptions& open, int threads);

Json ExplanationJson(const Explanation& explanation);

}  // namespace acutance
