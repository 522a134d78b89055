#include "run/explain/evaluator.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "metric/registry.h"
#include "model/builtin_models.h"

namespace acutance {
namespace {

constexpr int64_t kSparseFrames = 2;  // of a window
constexpr double kMostDistance = 10;  // of a column
constexpr double kPrinted = 1.01e-6;  // how far numbers with six decimals may lie apart

std::optional<double> LoggedScore(const LoggedScores& log, const LoggedSeries& column, int64_t frame) {
  const auto found = std::ranges::lower_bound(log.frames, frame);
  if (found == log.frames.end() || *found != frame) return std::nullopt;
  const std::optional<double> score = column.scores[static_cast<size_t>(found - log.frames.begin())];
  return score && std::isfinite(*score) ? score : std::nullopt;
}

/// Pairs of a computed and a logged score.
using ScorePairs = std::vector<std::pair<double, double>>;

double Largest(const ScorePairs& pairs) {
  double largest = 0;
  for (const auto& [a, b] : pairs) largest = std::max(largest, std::fabs(a - b));
  return largest;
}

double Scaled(const ScorePairs& pairs) {
  double mean = 0, squares = 0, difference = 0;
  for (const auto& [a, b] : pairs) mean += b, squares += b * b, difference += std::fabs(a - b);
  const double n = static_cast<double>(pairs.size());
  const double deviation = std::sqrt(std::max(squares / n - mean / n * (mean / n), 0.0));
  return std::min(difference / n / std::max({deviation, 1e-3 * std::fabs(mean / n), 1e-4}), kMostDistance);
}

Result<std::unique_ptr<Session>> OpenSession(std::vector<ModelRequest> models, std::vector<FeatureRequest> features,
                                             const PictureFormat& format, int threads, int64_t step) {
  SessionSpec spec;
  spec.models = std::move(models);
  spec.features = std::move(features);
  spec.threads = threads;
  spec.subsample = static_cast<int>(step);
  spec.format = format;
  return Session::Open(std::move(spec));
}

Result<ModelRequest> RequestOf(std::string_view version, std::string_view name, bool predict, ModelFlags flags = {}) {
  ACU_ASSIGN_OR_RETURN(Model model, LoadBuiltinModel(version, name));
  return ModelRequest{std::make_shared<const Model>(std::move(model)), flags, predict};
}

/// Whether the log has all features of the model.
bool HasFeatures(const LoggedScores& log, std::string_view model, const PictureFormat& format) {
  const Result<ModelRequest> request = RequestOf(model, model, false);
  if (!request.ok()) return false;
  const Result<std::unique_ptr<Session>> session = OpenSession({*request}, {}, format, 1, 1);
  if (!session.ok()) return false;
  FeatureSet features;
  const std::vector<ModelFeature>& needed = (*request).model->features;
  const auto& columns = (*session)->scores(0).columns();
  return std::ranges::all_of(needed, [&](const ModelFeature& feature) {
    const Result<std::string> key = features.AddByOutput(feature.name, feature.options);
    const auto column = std::ranges::find(columns, key.ok() ? *key : "", &ScoreTable::Column::stored);
    return column != columns.end() && log.Find(column->shown) != nullptr;
  });
}

bool LooksAtOtherFrames(std::span<const MetricRun> runs, std::string_view stored) {
  const std::optional<RunOutput> output = FindOutput(runs, stored);
  return output && (output->run->extractor->MakeSequence() != nullptr ||
                    output->run->History(Video::kReference) + output->run->History(Video::kDistorted) > 0);
}

/// The metrics that have an output with the name of one of the log's columns.
std::vector<FeatureRequest> MetricsOf(const LoggedScores& log) {
  std::vector<FeatureRequest> features;
  for (const Metric* metric : AllMetrics())
    if (!IsInternal(*metric) && std::ranges::any_of(metric->outputs, [&](const OutputSpec& output) {
          return log.Find(output.alias.empty() ? output.name : output.alias) != nullptr;
        }))
      features.push_back({std::string(metric->name), {}});
  return features;
}

}  // namespace

Result<LogEvaluator> LogEvaluator::Make(const LoggedScores& log, const ClipFrames& reference,
                                        const ClipFrames& distorted, int threads) {
  LogEvaluator evaluator(log, reference, distorted, threads);
  evaluator.step_ = log.step;
  for (const BuiltinModel& model : BuiltinModels())
    if (HasFeatures(log, model.name, reference.format())) evaluator.models_.emplace_back(model.name);
  if (evaluator.models_.empty()) evaluator.features_ = MetricsOf(log);
  else {
    ACU_ASSIGN_OR_RETURN(ModelRequest request, RequestOf(evaluator.models_[0], evaluator.models_[0], false));
    evaluator.feature_model_.push_back(std::move(request));
  }
  if (!evaluator.models_.empty() || !evaluator.features_.empty()) return evaluator;
  return Error(StatusCode::kUnsupported,
               "{} has no feature that acutance computes: a log with the features of its model is needed", log.path);
}

/// How far apart the frames are that are computed: scored ones, spread over a sparse window.
int64_t LogEvaluator::Stride(const LogWindow& window) const {
  if (!window.is_sparse) return 1;
  return std::max<int64_t>((window.end - window.first) / kSparseFrames / step_, 1) * step_;
}

std::vector<std::pair<double, double>> LogEvaluator::PairsOf(const ScoreTable& table, int computed,
                                                             const LoggedSeries& logged,
                                                             const LogWindow& window) const {
  ScorePairs pairs;
  const int64_t stride = Stride(window), lead = window.is_sparse ? 0 : window.lead;
  const int64_t end = window.end - (window.is_sparse ? 0 : window.tail);
  for (int64_t frame = window.first + lead; frame < end; frame += stride) {
    const std::optional<double> a = table.Get(computed, (frame - window.first) / stride);
    const std::optional<double> b = LoggedScore(*log_, logged, frame);
    if (a && b && std::isfinite(*a)) pairs.emplace_back(*a, *b);
  }
  return pairs;
}

Result<std::unique_ptr<Session>> LogEvaluator::Score(const Hypothesis& hypothesis, const LogWindow& window,
                                                     std::vector<ModelRequest> models) const {
  std::unique_ptr<Session> session;
  const int64_t stride = Stride(window);
  for (int64_t frame = window.first; frame < window.end; frame += stride) {
    const Picture* reference = reference_->Find(hypothesis.reference.At(frame));
    const Picture* distorted = distorted_->Find(hypothesis.distorted.At(frame));
    if (!reference || !distorted) break;
    ACU_ASSIGN_OR_RETURN(auto pair, ApplyHypothesis(hypothesis, *reference, *distorted));
    if (!session) {
      ACU_ASSIGN_OR_RETURN(session, OpenSession(std::move(models), features_, pair.first.format, threads_,
                                                window.is_sparse ? 1 : step_));
    }
    ACU_RETURN_IF_ERROR(session->Add(std::move(pair.first), {std::move(pair.second)}));
  }
  if (!session) return Error(StatusCode::kNotFound, "the videos have no frame {}", window.first);
  ACU_RETURN_IF_ERROR(session->Flush());
  return session;
}

Result<LogDistance> LogEvaluator::Evaluate(const Hypothesis& hypothesis, const LogWindow& window) const {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Score(hypothesis, window, feature_model_));
  const ScoreTable& table = session->scores(0);
  LogDistance result;
  for (int c = 0; c < static_cast<int>(table.columns().size()); ++c) {
    const ScoreTable::Column& column = table.columns()[static_cast<size_t>(c)];
    const LoggedSeries* logged = log_->Find(column.shown);
    const bool is_over_time = LooksAtOtherFrames(session->metric_runs(), column.stored);
    if (!logged || (window.is_sparse && is_over_time)) continue;
    const ScorePairs pairs = PairsOf(table, c, *logged, window);
    if (pairs.empty()) continue;
    ++result.columns;
    result.distance += Scaled(pairs);
    const double largest = Largest(pairs);
    result.largest = std::max(result.largest, largest);
    if (largest <= kPrinted) continue;
    result.differing.push_back(logged->name);
    result.differing_over_time += is_over_time;
  }
  if (result.columns == 0) return Error(StatusCode::kNotFound, "no frame of the log could be compared");
  result.distance /= result.columns;
  return result;
}

Result<std::vector<ModelFit>> LogEvaluator::FitModels(const Hypothesis& hypothesis, const LogWindow& window) const {
  constexpr std::pair<ModelFlags, std::string_view> kFlags[] = {
      {{}, ""}, {{.disable_clip = true}, " with disable_clip"}, {{.enable_transform = true}, " with enable_transform"}};
  std::vector<ModelRequest> requests;
  for (const std::string& model : models_)
    for (const auto& [flags, text] : kFlags) {
      ACU_ASSIGN_OR_RETURN(ModelRequest request, RequestOf(model, model + std::string(text), true, flags));
      requests.push_back(std::move(request));
    }
  if (requests.empty()) return std::vector<ModelFit>();
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Score(hypothesis, window, std::move(requests)));
  const ScoreTable& table = session->scores(0);
  std::vector<ModelFit> fits;
  for (const ModelRun& run : session->models())
    for (const LoggedSeries& logged : log_->columns) {
      const bool is_feature = std::ranges::any_of(
          table.columns(), [&](const ScoreTable::Column& column) { return column.shown == logged.name; });
      if (is_feature) continue;
      const ScorePairs pairs = PairsOf(table, table.Find(run.score_keys().back()), logged, window);
      if (!pairs.empty()) fits.push_back({run.model().name, Largest(pairs)});
    }
  std::ranges::stable_sort(fits, {}, &ModelFit::difference);
  return fits;
}

}  // namespace acutance
