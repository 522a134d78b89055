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
  int changes = 0;  // of a plain comparison
  std::string text;
  double distance = 0;  // mean over the features of the mean difference, in units of the feature's deviation in the log
  double largest = 0;   // the largest absolute difference of a feature
};

struct Explanation {
  std::optional<ExplainCandidate> best, second;  // empty: nothing could be compared
  std::string model;  // "vmaf_v0.6.1neg with disable_clip"; empty: the log has no score that a built-in model gives
  double model_difference = 0;
  std::string engine;    // "libvmaf 3.2.1's plain C, or an equal engine"
  std::string change;    // what changes within the clip: "3 frames are missing ..."; empty: nothing
  std::string begin;     // "the run began at frame 48"; empty: with the log's first frame, or it cannot be seen
  std::string sampling;  // "every second frame is scored"; empty: all
  std::vector<std::string> equals;  // hypotheses that are as simple as the best and give the same scores
  std::string pooling;  // "93.41 is the harmonic_mean of vmaf" (run/explain/pooled_score.h); empty: no score was stated
  double confidence = 0;  // below 0.5: the cause is unknown
  std::vector<std::string> notes;

  bool is_known() const { return best && confidence >= 0.5; }
  std::string Sentence() const;
};

Result<Explanation> ExplainLog(LoggedScores log, const std::string& reference, const std::string& distorted,
                               const OpenOptions& open, int threads);

Json ExplanationJson(const Explanation& explanation);

}  // namespace acutance
