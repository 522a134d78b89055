#include "report/fit/train_model.h"

#include <fmt/format.h>
#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "base/json.h"
#include "log/json_text.h"
#include "metric/metric.h"
#include "metric/registry.h"
#include "stats/bootstrap.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

using Rows = std::vector<std::vector<double>>;  // by encode: the features

/// Maps a range to 0 to 1, as models' linear_rescale does.
struct Scale {
  double slope = 1, intercept = 0;

  double To(double x) const { return slope * x + intercept; }
  double From(double y) const { return (y - intercept) / slope; }
};

Scale ScaleOf(const std::vector<double>& values) {
  const double low = Minimum(values), range = Maximum(values) - low;
  return {1 / range, -low / range};
}

/// The name under which a model finds a feature: "VMAF_integer_feature_adm2_score" of "integer_adm2".
Result<std::string> StoredName(const std::string& feature) {
  for (const Metric* metric : AllMetrics())
    for (const OutputSpec& output : metric->outputs)
      if (output.name == feature || output.alias == feature) return std::string(output.name);
  return Error(StatusCode::kInvalidArgument,
               "{}: a model needs features with their default options, under their names in logs (acutance features)",
               feature);
}

/// libsvm's form of encodes. Their memory must outlive the model.
class Problem {
 public:
  Problem(const Rows& rows, std::vector<double> targets) : targets_(std::move(targets)) {
    for (const std::vector<double>& row : rows) {
      nodes_.emplace_back();
      for (size_t k = 0; k < row.size(); ++k) nodes_.back().push_back({static_cast<int>(k) + 1, row[k]});
      nodes_.back().push_back({-1, 0});
    }
    for (auto& nodes : nodes_) rows_.push_back(nodes.data());
  }

  svm_problem Get() { return {static_cast<int>(rows_.size()), targets_.data(), rows_.data()}; }
  const svm_node* row(size_t i) const { return rows_[i]; }

 private:
  std::vector<std::vector<svm_node>> nodes_;
  std::vector<svm_node*> rows_;
  std::vector<double> targets_;
};

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};
using SvmModel = std::unique_ptr<svm_model, FreeModel>;

SvmModel Train(Problem& problem, const TrainingOptions& options) {
  svm_set_print_string_function([](const char*) {});
  svm_parameter parameters{};
  parameters.svm_type = NU_SVR;
  parameters.kernel_type = RBF;
  parameters.gamma = options.gamma;
  parameters.C = options.c;
  parameters.nu = options.nu;
  parameters.cache_size = 100;
  parameters.eps = 1e-5;
  parameters.shrinking = 1;
  const svm_problem encodes = problem.Get();
  return SvmModel(svm_train(&encodes, &parameters));
}

/// Features and opinions of encodes, in the ranges that models map them to.
struct Scaled {
  std::vector<Scale> features;
  Scale opinion;
  Rows rows;
  std::vector<double> targets;
};

Scaled ScaleAll(const OpinionTable& table, const std::vector<const ScoredColumn*>& columns) {
  Scaled scaled{.features = {}, .opinion = ScaleOf(table.opinions), .rows = Rows(table.opinions.size()), .targets = {}};
  for (const ScoredColumn* column : columns) {
    scaled.features.push_back(ScaleOf(column->scores));
    for (size_t i = 0; i < column->scores.size(); ++i)
      scaled.rows[i].push_back(scaled.features.back().To(column->scores[i]));
  }
  for (const double opinion : table.opinions) scaled.targets.push_back(scaled.opinion.To(opinion));
  return scaled;
}

/// A fold for each content, at random, of about equal sizes.
std::vector<int> FoldsOf(const std::vector<std::string>& contents, int folds) {
  const std::set<std::string> sorted(contents.begin(), contents.end());
  const std::vector<std::string> names(sorted.begin(), sorted.end());
  Random random(1);
  std::map<std::string, int> fold_of;
  int next = 0;
  for (const size_t i : RandomOrder(names.size(), random)) fold_of[names[i]] = next++ % folds;
  std::vector<int> result;
  for (const std::string& content : contents) result.push_back(fold_of[content]);
  return result;
}

/// What models predict that were trained without the encode's fold.
std::vector<double> CrossValidate(const Scaled& scaled, const std::vector<int>& folds, const TrainingOptions& options) {
  std::vector<double> predictions(scaled.rows.size());
  for (int fold = 0; fold < options.folds; ++fold) {
    Rows rows;
    std::vector<double> targets;
    for (size_t i = 0; i < folds.size(); ++i)
      if (folds[i] != fold) rows.push_back(scaled.rows[i]), targets.push_back(scaled.targets[i]);
    Problem training(rows, targets), all(scaled.rows, scaled.targets);
    const SvmModel model = Train(training, options);
    for (size_t i = 0; i < folds.size(); ++i)
      if (folds[i] == fold) predictions[i] = scaled.opinion.From(svm_predict(model.get(), all.row(i)));
  }
  return predictions;
}

double SquaredErrors(const std::vector<double>& predictions, const std::vector<double>& opinions) {
  double sum = 0;
  for (size_t i = 0; i < opinions.size(); ++i) sum += (predictions[i] - opinions[i]) * (predictions[i] - opinions[i]);
  return sum;
}

/// The values whose predictions are nearest to the opinions.
TrainingOptions Search(const Scaled& scaled, const std::vector<int>& folds, const std::vector<double>& opinions,
                       const TrainingOptions& given) {
  TrainingOptions best = given;
  double least = SquaredErrors(CrossValidate(scaled, folds, given), opinions);
  for (const double c : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0})
    for (const double gamma : {0.02, 0.04, 0.1, 0.25, 0.6})
      for (const double nu : {0.5, 0.9}) {
        TrainingOptions now = given;
        now.c = c, now.gamma = gamma, now.nu = nu;
        const double errors = SquaredErrors(CrossValidate(scaled, folds, now), opinions);
        if (errors < least) least = errors, best = now;
      }
  return best;
}

/// The text of the model as libsvm's svm_save_model writes it, which is a part of libvmaf's JSON.
std::string TextOf(const svm_model& model) {
  std::string text = fmt::format("svm_type nu_svr\nkernel_type rbf\ngamma {}\nnr_class 2\ntotal_sv {}\nrho {}\nSV\n",
                                 model.param.gamma, model.l, model.rho[0]);
  for (int i = 0; i < model.l; ++i) {
    text += fmt::format("{} ", model.sv_coef[0][i]);
    for (const svm_node* node = model.SV[i]; node->index != -1; ++node)
      text += fmt::format("{}:{} ", node->index, node->value);
    text += '\n';
  }
  return text;
}

Json ModelJson(const std::string& text, const std::vector<std::string>& names, const Scaled& scaled,
               const TrainingOptions& options) {
  Json features = Json::Array(), slopes = Json::Array(), intercepts = Json::Array();
  slopes.Append(scaled.opinion.slope);
  intercepts.Append(scaled.opinion.intercept);
  for (size_t k = 0; k < names.size(); ++k) {
    features.Append(names[k]);
    slopes.Append(scaled.features[k].slope);
    intercepts.Append(scaled.features[k].intercept);
  }
  return {
      {"param_dict", {{"C", options.c}, {"nu", options.nu}, {"gamma", options.gamma}, {"norm_type", "linear_rescale"}}},
      {"model_dict",
       {{"model", text},
        {"model_type", "LIBSVMNUSVR"},
        {"norm_type", "linear_rescale"},
        {"feature_names", std::move(features)},
        {"slopes", std::move(slopes)},
        {"intercepts", std::move(intercepts)}}}};
}

}  // namespace

bool CanTrain() { return true; }

Result<TrainedModel> TrainModel(const OpinionTable& table, const TrainingOptions& options) {
  std::vector<const ScoredColumn*> columns;
  std::vector<std::string> names;
  for (const std::string& feature : options.features) {
    const ScoredColumn* column = table.Find(feature);
    if (column == nullptr) return Error(StatusCode::kInvalidArgument, "the opinions have no column {}", feature);
    if (Minimum(column->scores) == Maximum(column->scores))
      return Error(StatusCode::kInvalidArgument, "{} is constant, so that nothing can be learnt from it", feature);
    columns.push_back(column);
    ACU_ASSIGN_OR_RETURN(names.emplace_back(), StoredName(feature));
  }
  if (columns.empty()) return Error(StatusCode::kInvalidArgument, "training needs features: --features A,B,C");
  const std::set<std::string> contents(table.contents.begin(), table.contents.end());
  if (std::ssize(contents) < options.folds)
    return Error(StatusCode::kInvalidArgument, "{} contents are too few for {} folds", contents.size(), options.folds);
  const Scaled scaled = ScaleAll(table, columns);
  const std::vector<int> folds = FoldsOf(table.contents, options.folds);
  TrainedModel trained{.json = {}, .options = options, .predictions = {}, .agreements = {}};
  if (options.searches) trained.options = Search(scaled, folds, table.opinions, options);
  trained.predictions = CrossValidate(scaled, folds, trained.options);
  Problem all(scaled.rows, scaled.targets);
  const SvmModel model = Train(all, trained.options);
  trained.json = JsonText(ModelJson(TextOf(*model), names, scaled, trained.options));
  OpinionTable predicted = table;
  predicted.columns = {{"cross-validation", trained.predictions}};
  ACU_ASSIGN_OR_RETURN(trained.agreements, CompareWithOpinions(predicted));
  return trained;
}

}  // namespace acutance
