#include "api/libvmaf/scores.h"

#include <algorithm>
#include <utility>

#include "api/libvmaf/log.h"
#include "metric/registry.h"

namespace acutance::libvmaf {
namespace {

std::optional<Pooling> MethodOf(VmafPoolingMethod method) {
  switch (method) {
    case VMAF_POOL_METHOD_MIN:
      return Pooling::kMin;
    case VMAF_POOL_METHOD_MAX:
      return Pooling::kMax;
    case VMAF_POOL_METHOD_MEAN:
      return Pooling::kMean;
    case VMAF_POOL_METHOD_HARMONIC_MEAN:
      return Pooling::kHarmonicMean;
    default:
      return std::nullopt;
  }
}

Status CopyColumn(const ScoreTable::Column& from, ScoreTable& to) {
  int column = to.Find(from.stored);
  if (column < 0) {
    ACU_ASSIGN_OR_RETURN(column, to.AddColumn(from.stored, from.shown, from));
  }
  for (size_t i = 0; i < from.scores.size(); ++i)
    if (from.scores[i] && !to.Get(column, static_cast<int64_t>(i)))
      ACU_RETURN_IF_ERROR(to.Set(column, static_cast<int64_t>(i), *from.scores[i]));
  return {};
}

}  // namespace

OptionTexts LogUnknownOptions(const FeatureRequest& request) {
  std::vector<std::string> warnings;
  OptionTexts known = KnownOptions(request, warnings);
  for (const std::string& warning : warnings) Log(VMAF_LOG_LEVEL_WARNING, warning);
  return known;
}

Result<ModelNeeds> NeedsOf(const Model& model) {
  ModelNeeds needs;
  FeatureSet features;
  for (const ModelFeature& feature : model.features) {
    const std::string metric(MetricNameOfOutput(feature.name));
    const OptionTexts options = LogUnknownOptions({metric, feature.options});
    ACU_ASSIGN_OR_RETURN(std::string key, features.AddByOutput(feature.name, options));
    needs.features.push_back({metric, options});
    needs.keys.push_back(std::move(key));
  }
  return needs;
}

std::optional<double> Scores::Get(const std::string& name, int64_t frame) const {
  if (const auto own = own_.Get(own_.Find(name), frame)) return own;
  std::optional<double> score;
  if (session_) session_->ReadScores(0, [&](const ScoreTable& table) { score = table.Get(table.Find(name), frame); });
  return score;
}

Status Scores::Store(const std::string& name, int64_t frame, double value, const ScoreTraits& traits) {
  int column = own_.Find(name);
  if (column < 0) {
    ACU_ASSIGN_OR_RETURN(column, own_.AddColumn(name, name, traits));
  }
  return own_.Set(column, frame, value);
}

Status Scores::Import(const std::string& name, int64_t frame, double value) {
  if (Get(name, frame))
    return Error(StatusCode::kInvalidArgument, "feature '{}' already has a score at index {}", name, frame);
  return Store(name, frame, value);
}

Status Scores::Claim(const ModelRef& model) {
  for (const std::string& name : ScoreColumns(*model.model)) {
    const auto [owner, added] = owners_.emplace(name, model.id);
    if (!added && owner->second != model.id)
      return Error(StatusCode::kInvalidArgument, "two models are named '{}'; give each its own name in its config",
                   model.model->name);
  }
  return {};
}

Result<const Scores::Bound*> Scores::Bind(const ModelRef& model) {
  const auto found = bound_.find(model.model.get());
  if (found != bound_.end()) return &found->second;
  ACU_RETURN_IF_ERROR(Claim(model));
  ACU_ASSIGN_OR_RETURN(ModelNeeds needs, NeedsOf(*model.model));
  Bound bound{model, std::move(needs.keys), ScoreColumns(*model.model)};
  return &bound_.emplace(model.model.get(), std::move(bound)).first->second;
}

Status Scores::Predict(const ModelRef& model, int64_t frame) {
  ACU_ASSIGN_OR_RETURN(const Bound* bound, Bind(model));
  const auto is_known = [&](const std::string& key) { return own_.Get(own_.Find(key), frame).has_value(); };
  if (std::ranges::all_of(bound->score_keys, is_known)) return {};
  std::vector<double> values;
  for (const std::string& key : bound->feature_keys) {
    const std::optional<double> value = Get(key, frame);
    if (!value) return Error(StatusCode::kInvalidArgument, "no feature '{}' at index {}", key, frame);
    values.push_back(*value);
  }
  const std::vector<double> scores = PredictColumns(*model.model, values, model.flags);
  for (size_t i = 0; i < scores.size(); ++i)
    if (!is_known(bound->score_keys[i]))
      ACU_RETURN_IF_ERROR(
          Store(bound->score_keys[i], frame, scores[i], ColumnTraits(*model.model, bound->feature_keys[0])));
  return {};
}

Result<double> Scores::At(const std::string& name, int64_t frame) const {
  if (const auto score = Get(name, frame)) return *score;
  return Error(StatusCode::kInvalidArgument, "no feature '{}' at index {}", name, frame);
}

Result<double> Scores::Pool(const std::string& name, VmafPoolingMethod method, unsigned low, unsigned high) const {
  const std::optional<Pooling> pooling = MethodOf(method);
  if (!pooling)
    return Error(StatusCode::kInvalidArgument, "pooling method {} is unknown; there are 1 to 4",
                 static_cast<int>(method));
  std::vector<double> scores;
  for (int64_t frame = FirstKept(low); frame <= high; frame += subsample_) {
    ACU_ASSIGN_OR_RETURN(const double score, At(name, frame));
    scores.push_back(score);
  }
  if (scores.empty())
    return Error(StatusCode::kInvalidArgument, "no index to pool in {}..{} (n_subsample {})", low, high, subsample_);
  if (const int column = own_.Find(name); column >= 0 && !own_.columns()[column].clip.empty()) {
    const ScoreTable table = Table();  // which has the value of the whole clip
    return *acutance::Pool(table.columns()[table.Find(name)], {low, high, subsample_}, *pooling);
  }
  return acutance::Pool(scores, *pooling);
}

Status Scores::PredictRange(const ModelRef& model, unsigned low, unsigned high) {
  for (int64_t frame = FirstKept(low); frame <= high; frame += subsample_) ACU_RETURN_IF_ERROR(Predict(model, frame));
  return {};
}

ScoreTable Scores::Table() const {
  ScoreTable table;
  if (session_) session_->ReadScores(0, [&](const ScoreTable& computed) { table = computed; });
  for (const ScoreTable::Column& column : own_.columns()) {
    const Status copied = CopyColumn(column, table);
    if (!copied.ok()) Log(VMAF_LOG_LEVEL_WARNING, copied.message());
  }
  return table;
}

int64_t Scores::Visit(const std::string& name, int64_t next, const std::function<void(int64_t, double)>& visit) const {
  std::vector<std::pair<int64_t, double>> found;
  const auto collect = [&](const ScoreTable& table) {
    const int column = table.Find(name);
    if (column < 0) return;
    const auto& scores = table.columns()[column].scores;
    for (size_t i = next; i < scores.size(); ++i)
      if (scores[i]) found.emplace_back(i, *scores[i]);
  };
  collect(own_);
  if (session_ && found.empty()) session_->ReadScores(0, collect);
  for (const auto& [frame, score] : found) visit(frame, score);
  return found.empty() ? next : found.back().first + 1;
}

}  // namespace acutance::libvmaf
