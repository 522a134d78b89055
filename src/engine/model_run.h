// A model bound to the score table columns that it reads and writes.
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
#include "model/model.h"
#include "model/predict.h"
#include "stats/score_table.h"

namespace acutance {

struct ModelRequest {
  std::shared_ptr<const Model> model;
  ModelFlags flags;
  bool predict = true;  // false: compute its features only
  /// By distorted video: the same model with options of features that are the video's own; empty: `model` for all.
  std::vector<std::shared_ptr<const Model>> of_videos{};
};

class ModelRun {
 public:
  /// Adds the metrics that the model needs to `features`.
  static Result<ModelRun> Create(const ModelRequest& request, FeatureSet& features);

  /// Adds the score's column, or a collection's columns (docs/spec/system.md 1.5), to a distorted
  /// video's table.
  Status AddColumns(ScoreTable& table, int distorted = 0);

  /// Writes the scores of the frames below `frames` whose features are complete, in order, from where the last call
  /// for this table stopped. share: spreads the work over threads.
  Status PredictReady(ScoreTable& table, int subsample, int64_t frames, const ForEach& share);

  /// An error that names the first feature without a score, if a frame could not be predicted.
  Status CheckComplete(const ScoreTable& table, int subsample, int64_t frames) const;

  /// Mean over the frames predicted so far; nullopt before the first.
  std::optional<double> RunningMean(const ScoreTable& table) const;

  const Model& model() const { return *request_.model; }
  bool predicts() const { return request_.predict; }
  /// Stored names of the features that it reads for a distorted video.
  const std::vector<std::string>& feature_keys(int distorted = 0) const {
    return feature_keys_[feature_keys_.size() > 1 ? static_cast<size_t>(distorted) : 0];
  }
  /// Stored names of what it writes: the score; for a collection the members, then bagging, stddev, lo and hi.
  const std::vector<std::string>& score_keys() const { return score_keys_; }
  /// The keys of the model's own scores, which leave out those of a collection's members.
  std::span<const std::string> own_score_keys() const { return std::span(score_keys_).subspan(main_score()); }
  /// The one that stands for the model: its score, or a collection's bagging score.
  const std::string& main_score_key() const { return score_keys_[main_score()]; }

 private:
  struct Progress {  // of a table
    int distorted = 0;
    std::vector<int> features{}, scores{};  // columns
    int64_t next_frame = 0;
    int64_t count = 0;
    double sum = 0;
  };

  explicit ModelRun(const ModelRequest& request) : request_(request) {}
  size_t main_score() const { return model().is_collection() ? model().members.size() : 0; }
  static bool Gather(const ScoreTable& table, const Progress& progress, std::vector<double>& values);
  Status Write(ScoreTable& table, int64_t frame, std::span<const double> scores, Progress& progress) const;

  ModelRequest request_;
  std::vector<std::vector<std::string>> feature_keys_;  // [distorted], or [0] for all
  std::vector<std::string> score_keys_;
  std::map<const ScoreTable*, Progress> progress_;
};

}  // namespace acutance
