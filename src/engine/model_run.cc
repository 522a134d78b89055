#include "engine/model_run.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/int_math.h"

namespace acutance {
namespace {

constexpr size_t kPredictedAtOnce = 16;  // predicting fewer takes less time than waking a thread

/// The first index at or after `frame` that is scored.
int64_t NextKept(int64_t frame, int subsample) { return (frame + subsample - 1) / subsample * subsample; }

}  // namespace

Result<ModelRun> ModelRun::Create(const ModelRequest& request, FeatureSet& features) {
  ModelRun run(request);
  for (const ModelFeature& feature : request.model->features) {
    ACU_ASSIGN_OR_RETURN(std::string key, features.AddByOutput(feature.name, feature.options, request.least_bit_depth));
    run.feature_keys_.push_back(std::move(key));
  }
  run.score_keys_ = ScoreColumns(*request.model);
  return run;
}

Status ModelRun::AddColumns(ScoreTable& table) {
  progress_[&table] = {};
  feature_columns_.clear();
  score_columns_.clear();
  if (!request_.predict) return {};
  for (const std::string& key : feature_keys_) feature_columns_.push_back(table.Find(key));
  for (const std::string& key : score_keys_) {
    ACU_ASSIGN_OR_RETURN(const int column, table.AddColumn(key, key));
    score_columns_.push_back(column);
  }
  return {};
}

bool ModelRun::Gather(const ScoreTable& table, int64_t frame, std::vector<double>& values) const {
  const size_t before = values.size();
  for (int column : feature_columns_) {
    const std::optional<double> value = column < 0 ? std::nullopt : table.Get(column, frame);
    if (!value) {
      values.resize(before);
      return false;
    }
    values.push_back(*value);
  }
  return true;
}

Status ModelRun::Write(ScoreTable& table, int64_t frame, std::span<const double> scores, Progress& progress) const {
  for (size_t i = 0; i < scores.size(); ++i) ACU_RETURN_IF_ERROR(table.Set(score_columns_[i], frame, scores[i]));
  progress.sum += scores[main_score()];
  ++progress.count;
  return {};
}

Status ModelRun::PredictReady(ScoreTable& table, int subsample, int64_t frames, const ForEach& share) {
  if (!request_.predict) return {};
  Progress& progress = progress_[&table];
  std::vector<int64_t> ready;
  std::vector<double> values;  // of their features
  for (; progress.next_frame < frames && Gather(table, progress.next_frame, values);
       progress.next_frame = NextKept(progress.next_frame + 1, subsample))
    ready.push_back(progress.next_frame);
  std::vector<std::vector<double>> scores(ready.size());
  const size_t features = feature_columns_.size();
  const auto predict = [&](int part) {
    const size_t begin = part * kPredictedAtOnce, end = std::min(begin + kPredictedAtOnce, ready.size());
    for (size_t i = begin; i < end; ++i)
      scores[i] = PredictColumns(*request_.model, std::span(values).subspan(i * features, features), request_.flags);
  };
  ACU_RETURN_IF_ERROR(share(static_cast<int>(CeilDiv(ready.size(), kPredictedAtOnce)), predict));
  for (size_t i = 0; i < ready.size(); ++i) ACU_RETURN_IF_ERROR(Write(table, ready[i], scores[i], progress));
  return {};
}

Status ModelRun::CheckComplete(const ScoreTable& table, int subsample, int64_t frames) const {
  if (!request_.predict) return {};
  const int64_t next = progress_.at(&table).next_frame;
  if (next >= frames || next % subsample != 0) return {};
  for (size_t i = 0; i < feature_columns_.size(); ++i)
    if (feature_columns_[i] < 0 || !table.Get(feature_columns_[i], next))
      return Error(StatusCode::kInvalidArgument, "model {}: no feature '{}' at index {}", model().name,
                   feature_keys_[i], next);
  return {};
}

std::optional<double> ModelRun::RunningMean(const ScoreTable& table) const {
  const auto found = progress_.find(&table);
  if (found == progress_.end() || found->second.count == 0) return std::nullopt;
  return found->second.sum / static_cast<double>(found->second.count);
}

}  // namespace acutance
