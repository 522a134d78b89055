// Writer of score tables: turns finished frames' results into features, values over time and model scores.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/parallel_for.h"
#include "engine/feature_set.h"
#include "engine/frame_results.h"
#include "engine/model_run.h"
#include "stats/score_table.h"

namespace acutance {

/// Used by one thread at a time. Write and Flush return the first error of all calls.
class ScoreWriter {
 public:
  ScoreWriter(FeatureSet& features, std::vector<ModelRun>& models, int subsample);
  ~ScoreWriter();

  /// Makes a table for each distorted video, with all columns. Once, when the features have extractors.
  /// share: spreads finishing and predictions over threads.
  Status Start(int distorted_count, ForEach share);

  /// Computes the values of frames, before Write; an error is a frame's own.
  Status Finish(std::span<FrameResults* const> frames);

  /// Writes frames that follow those of the last call.
  Status Write(std::span<FrameResults* const> frames);

  /// Writes the values that need all frames.
  Status Flush(int64_t frames);

  /// Empties the tables for another video, after Flush.
  Status Restart();

  /// A sentence for each column in which a score is not a number. of_videos: what follows its name, by video.
  std::vector<std::string> Undefined(const std::vector<std::string>& of_videos) const;

  const ScoreTable& table(int distorted) const { return *tables_[distorted]; }

 private:
  class Sink;
  /// The logic over time of one metric run, for one distorted video or all.
  struct RunSequence {
    std::unique_ptr<Sequence> sequence;  // null: there is none
    std::unique_ptr<Sink> sink;
  };

  Status AddColumns();
  void MakeSequences();
  void WriteFrame(const FrameResults& frame);
  void WriteValues(const RunResult& result, int64_t index);
  void PredictReady(int64_t frames);
  void Record(const Status& status);
  void SetScore(const MetricRun& run, int output, int distorted, int64_t frame, double value);
  std::span<const int> VideosOf(int distorted) const;  // -1: all

  FeatureSet& features_;
  std::vector<ModelRun>& models_;
  const int subsample_;
  ForEach share_;
  std::vector<std::unique_ptr<ScoreTable>> tables_;  // one per distorted video
  std::vector<int> videos_;                          // their numbers
  std::vector<std::vector<RunSequence>> sequences_;  // [run][MetricRun::VideoOf]
  Status error_;
};

}  // namespace acutance
