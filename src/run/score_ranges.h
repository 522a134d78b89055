// Scores of chosen ranges of frames, equal to those of a whole run.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "run/score_run.h"
#include "stats/mean_gate.h"
#include "stats/score_table.h"

namespace acutance {

/// The score of a run's first model.
struct GatedScore {
  std::string model, column;
  ScoreRange range;

  /// Fails for a model whose scores have no range.
  static Result<GatedScore> Of(const RunRequest& request, const Session& session);

  /// The score of a row of the table; an error, which names the frame, where it lies outside of the range.
  Result<double> Read(const ScoreTable& table, int64_t row, int64_t frame) const;
};

/// Pairs of two videos with a fixed offset.
struct AlignedRange {
  int64_t offset = 0;          // distorted frame k + offset belongs to reference frame k
  int64_t first = 0, end = 0;  // of the reference's frames that have partners
  int64_t frames = 0;          // to score, from `first` on
};

class RangeScorer {
 public:
  /// request: with one distorted video.
  RangeScorer(RunRequest request, const AlignedRange& aligned) : request_(std::move(request)), aligned_(aligned) {}

  /// The sums of the scores of ranges of frames, which grow and are apart; frame 0 is the first of `aligned`.
  Result<std::vector<double>> Sum(const std::vector<FrameSpan>& ranges);

  /// After Sum().
  const GatedScore& score() const { return score_; }
  int64_t frames_read() const { return static_cast<int64_t>(read_.size()); }

 private:
  RunRequest request_;
  const AlignedRange aligned_;
  GatedScore score_;
  std::set<int64_t> read_;  // with the frames around ranges, some of which are read more than once
};

}  // namespace acutance
