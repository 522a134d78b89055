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

/// Frames [first, end) of a log that are computed.
struct LogWindow {
  int64_t first = 0, end = 0;
  int64_t lead = 3, tail = 3;  // frames at its ends that are not compared, as features of theirs reach beyond it
  bool is_sparse = false;      // two frames of it alone, and features that look at no other frame
};

/// Distance of scores from a log's.
struct LogDistance {
  double distance = 0;  // see ExplainCandidate
  double largest = 0;
  int columns = 0;
  std::vector<std::string> differing{};  // columns that are not printed alike
  int differing_over_time = 0;           // how many of these look at other frames, such as those of motion
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
  int64_t Stride(const LogWindow& window) const;
  Result<std::unique_ptr<Session>> Score(const Hypothesis& hypothesis, const LogWindow& window,
                                         std::vector<ModelRequest> models) const;
  /// Scores of a column that was computed, and of the log.
  std::vector<std::pair<double, double>> PairsOf(const ScoreTable& table, int computed, const LoggedSeries& logged,
                                                 const LogWindow& window) const;

  const LoggedScores* log_;
  const ClipFrames* reference_;
  const ClipFrames* distorted_;
  int threads_;
  int64_t step_ = 1;
  std::vector<std::string> models_;          // built-in ones whose features the log has
  std::vector<ModelRequest> feature_model_;  // the first of them, without its score
  std::vector<FeatureRequest> features_;
};

}  // namespace acutance
