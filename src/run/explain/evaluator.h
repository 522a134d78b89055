// Scores that a hypothesis gives, compared with those of a log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/session.h"
#include "run/explain/clip_frames.h"
#include "run/explain/hypothesis.h"
#include "run/explain/logged_scores.h"

namespace acutance {

/// Frames [first, end) of a log.
struct LogWindow {
  int64_t first = 0, end = 0;
};

/// Distance of scores from a log's.
struct LogDistance {
  double distance = 0;  // see ExplainCandidate
  double largest = 0;
  int columns = 0;
  std::vector<std::string> differing{};  // columns that are not printed alike
};

/// The model that gives a column of the log.
struct ModelFit {
  std::string name;
  double difference = 0;  // the largest one
};

class LogEvaluator {
 public:
  /// Finds what the log's columns need: the features of the first built-in model that has all of its in the log, or
  /// else the metrics whose outputs have its columns' names. Fails where there are none.
  static Result<LogEvaluator> Make(const LoggedScores& log, const ClipFrames& reference, const ClipFrames& distorted,
                                   int threads);

  Result<LogDistance> Evaluate(const Hypothesis& hypothesis, const LogWindow& window) const;
  /// The models whose features the log has, by how well they give one of its other columns; the best first.
  Result<std::vector<ModelFit>> FitModels(const Hypothesis& hypothesis, const LogWindow& window) const;

 private:
  LogEvaluator(const LoggedScores& log, const ClipFrames& reference, const ClipFrames& distorted, int threads)
      : log_(&log), reference_(&reference), distorted_(&distorted), threads_(threads) {}
  Result<std::unique_ptr<Session>> Score(const Hypothesis& hypothesis, const LogWindow& window,
                                         std::vector<ModelRequest> models) const;

  const LoggedScores* log_;
  const ClipFrames* reference_;
  const ClipFrames* distorted_;
  int threads_;
  int64_t step_ = 1;
  std::vector<std::string> models_;  // built-in ones whose features the log has
  std::vector<FeatureRequest> features_;
};

}  // namespace acutance
