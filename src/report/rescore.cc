#include "report/rescore.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "log/log_writer.h"
#include "metric/registry.h"
#include "model/builtin_models.h"
#include "run/model_spec.h"
#include "run/run_options.h"

namespace acutance {
namespace {

// VMAF v1's motion looks that far (run/judge_mean.cc).
constexpr int64_t kBefore = 4, kAfter = 3;
constexpr int kProbed = 8;  // frames by which a model is found

std::vector<int64_t> PairsAround(const std::vector<int64_t>& wanted, int64_t count) {
  std::vector<int64_t> pairs;
  for (const int64_t pair : wanted) {
    int64_t next = std::max<int64_t>(0, pair - kBefore);
    if (!pairs.empty()) next = std::max(next, pairs.back() + 1);
    for (; next <= std::min(count - 1, pair + kAfter); ++next) pairs.push_back(next);
  }
  return pairs;
}

std::string Plain(std::string_view name) { return std::string(name); }

/// A run of the first frames.
ScoredRun Probe(RunRequest request) {
  request.frame_limit = kProbed;
  request.hash_samples = false;
  return RunScore(request);
}

/// How many of the probed frames have the log's score.
int Matches(const ScoreLog& log, const LoggedColumn& claimed, const ScoredRun& run, std::string_view column) {
  const ScoreTable& scores = run.encodes[0].scores();
  const int index = scores.Find(column);
  int matches = 0;
  for (size_t i = 0; i < log.frames.size() && log.frames[i] < run.frames - kAfter; ++i) {
    const std::optional<double> score = scores.Get(index, log.frames[i]);
    matches += score && claimed.scores[i] && log.Prints(*score, *claimed.scores[i]);
  }
  return matches;
}

/// Whether the log has a column of each feature of the model. Options follow a feature's name.
bool HasFeaturesOf(const BuiltinModel& builtin, const ScoreLog& log) {
  const Result<Model> model = LoadBuiltinModel(builtin.name, builtin.name);
  if (!model.ok() || log.columns.size() == 1) return model.ok();
  return std::ranges::all_of(model->features, [&](const ModelFeature& feature) {
    const OutputSpec* const output = FindOutput(feature.name).output;
    if (output == nullptr) return true;
    const std::string_view shown = output->alias.empty() ? output->name : output->alias;
    return std::ranges::any_of(log.columns, [&](const LoggedColumn& column) { return column.name.starts_with(shown); });
  });
}

/// The built-in model whose scores the column has, for the first frames.
Result<std::string> FindModel(const ScoreLog& log, const LoggedColumn& column, RunRequest request) {
  request.choice.none = false;
  for (const BuiltinModel& model : BuiltinModels())
    if (HasFeaturesOf(model, log))
      request.choice.specs.push_back({.version = std::string(model.name), .name = std::string(model.name)});
  std::vector<std::string> warnings;
  ACU_RETURN_IF_ERROR(LoadModels(request, warnings));
  const ScoredRun run = request.models.empty() ? ScoredRun() : Probe(request);
  if (run.error) return run.error->status;
  std::pair<int, std::string> best;
  for (const ModelRun& model :
       run.session ? std::span<const ModelRun>(run.session->models()) : std::span<const ModelRun>())
    if (const int matches = Matches(log, column, run, model.main_score_key()); matches > best.first)
      best = {matches, model.model().source};
  if (best.first > 0) return best.second;
  return Error(
      StatusCode::kInvalidArgument,
      "{}: no built-in model gives the first frames its {} ({} in frame {}): name the model and the options of "
      "its run",
      log.path, column.name, column.scores.front().value_or(0), log.frames.front());
}

void AddFeatures(const ScoreLog& log, const ScoreTable& known, RunRequest& request) {
  std::set<std::string_view> metrics;
  for (const LogColumn& column : LogColumns(known, Plain)) metrics.insert(column.label);
  std::set<const Metric*> added;
  for (const LoggedColumn& column : log.columns) {
    if (metrics.contains(column.name)) continue;
    const Metric* const metric = FindOutput(column.name).metric;
    if (metric && added.insert(metric).second) request.features.push_back({std::string(metric->name), {}});
  }
}

}  // namespace

Result<Rescored> ScoreSomePairs(RunRequest request, const FixedPairs& pairs, const std::vector<int64_t>& wanted) {
  const std::vector<int64_t> around = PairsAround(wanted, pairs.count);
  request.skip_reference = request.skip_distorted = 0;
  request.hash_samples = false;
  request.pairing = {.mode = AlignmentRequest::Mode::kFile};
  request.frame_limit = std::ssize(around);  // pairs from the first on may be read without a list
  for (const int64_t pair : around)
    request.pairing.pairs.emplace_back(pairs.first + pair, pairs.first + pair + pairs.offset);
  Rescored result{.run = RunScore(request), .rows = {}};
  if (result.run.error) return result.run.error->status;
  if (result.run.frames != std::ssize(around))
    return Error(StatusCode::kBadData, "a video ends before pair {}, though there are {} pairs", around.back(),
                 pairs.count);
  for (const int64_t pair : wanted) result.rows.push_back(std::ranges::lower_bound(around, pair) - around.begin());
  return result;
}

Status NameScores(const ScoreLog& log, RunRequest& request, std::vector<std::string>& notes) {
  const bool finds_model = request.choice.specs.empty() && !request.choice.is_auto && !request.choice.none;
  if (finds_model) request.choice.none = true;
  ACU_RETURN_IF_ERROR(CompleteRequest(request));
  const std::vector<FeatureRequest> features = std::exchange(request.features, {});
  if (finds_model) {
    std::vector<ModelSpec> specs;
    if (const LoggedColumn* const column = log.Find("vmaf")) {
      ACU_ASSIGN_OR_RETURN(const std::string model, FindModel(log, *column, request));
      specs.push_back({.version = model, .name = "vmaf"});
      notes.push_back(fmt::format("its model is {}, by the first frames", model));
    }
    for (const LoggedColumn& column : log.columns)  // as acutance names its models' scores
      if (FindBuiltinModel(column.name)) specs.push_back({.version = column.name, .name = column.name});
    request.choice.none = specs.empty();
    request.choice.specs = std::move(specs);
  }
  request.features = features;
  ACU_RETURN_IF_ERROR(LoadModels(request, notes));
  if (request.models.empty() && !request.choose_models && request.features.empty()) {
    AddFeatures(log, ScoreTable(), request);
    if (!request.features.empty()) return {};
    return Error(StatusCode::kUnsupported, "{}: none of its scores is one that acutance computes", log.path);
  }
  const ScoredRun run = Probe(request);
  if (run.error) return run.error->status;
  AddFeatures(log, run.encodes[0].scores(), request);
  return {};
}

NamedOutput FindOutput(std::string_view name) {
  for (const Metric* const metric : AllMetrics())
    for (const OutputSpec& output : metric->outputs)
      if (output.name == name || output.alias == name) return {metric, &output};
  return {};
}

}  // namespace acutance
