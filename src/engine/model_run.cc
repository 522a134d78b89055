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

/// Videos of whose own options a feature has none share it.
Result<ModelRun> ModelRun::Create(const ModelRequest& request, FeatureSet& features) {
  ModelRun run(request);
  const auto& own = request.of_videos;
  run.feature_keys_.resize(std::max<size_t>(own.size(), 1));
  for (size_t f = 0; f < request.model->features.size(); ++f) {
    const auto& [name, options] = request.model->features[f];
    const auto has_own = [&, &all = options](const auto& model) { return model->features[f].options != all; };
    const bool is_shared = std::ranges::none_of(own, has_own);
    for (size_t d = 0; d < run.feature_keys_.size(); ++d) {
      ACU_ASSIGN_OR_RETURN(std::string key,
                           features.AddByOutput(name, own.empty() ? options : own[d]->features[f].options,
                                                is_shared ? -1 : static_cast<int>(d)));
      run.feature_keys_[d].push_back(std::move(key));
    }
  }
  run.score_keys_ = ScoreColumns(*request.model);
  return run;
}

Status ModelRun::AddColumns(ScoreTable& table, int distorted) {
  Progress& progress = progress_[&table] = {.distorted = distorted};
  if (!request_.predict) return {};
  for (const std::string& key : feature_keys(distorted)) progress.features.push_back(table.Find(key));
  for (const std::string& key : score_keys_) {
    ACU_ASSIGN_OR_RETURN(const int column,
                         table.AddColumn(key, key, ColumnTraits(model(), feature_keys(distorted)[0])));
    progress.scores.push_back(column);
  }
  return {};
}

/// Appends the features of the next frame; false where one is missing.
bool ModelRun::Gather(const ScoreTable& table, const Progress& progress, std::vector<double>& values) {
  const size_t before = values.size();
  for (const int column : progress.features) {
    const std::optional<double> value = column < 0 ? std::nullopt : table.Get(column, progress.next_frame);
    if (!value) {
      values.resize(before);
      return false;
    }
    values.push_back(*value);
  }
  return true;
}

Status ModelRun::Write(ScoreTable& table, int64_t frame, std::span<const double> scores, Progress& progress) const {
  for (size_t i = 0; i < scores.size(); ++i) ACU_RETURN_IF_ERROR(table.Set(progress.scores[i], frame, scores[i]));
  progress.sum += scores[main_score()];
  ++progress.count;
  return {};
}

Status ModelRun::PredictReady(ScoreTable& table, int subsample, int64_t frames, const ForEach& share) {
  if (!request_.predict) return {};
  Progress& progress = progress_[&table];
  std::vector<int64_t> ready;
  std::vector<double> values;  // of their features
  for (; progress.next_frame < frames && Gather(table, progress, values);
       progress.next_frame = NextKept(progress.next_frame + 1, subsample))
    ready.push_back(progress.next_frame);
  std::vector<std::vector<double>> scores(ready.size());
  const size_t features = progress.features.size();
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
  const Progress& progress = progress_.at(&table);
  const int64_t next = progress.next_frame;
  if (next >= frames || next % subsample != 0) return {};
  for (size_t i = 0; i < progress.features.size(); ++i)
    if (progress.features[i] < 0 || !table.Get(progress.features[i], next))
      return Error(StatusCode::kInvalidArgument, "model {}: no feature '{}' at index {}", model().name,
                   feature_keys(progress.distorted)[i], next);
  return {};
}

std::optional<double> ModelRun::RunningMean(const ScoreTable& table) const {
  const auto found = progress_.find(&table);
  if (found == progress_.end() || found->second.count == 0) return std::nullopt;
  return found->second.sum / static_cast<double>(found->second.count);
}

}  // namespace acutance
