#include "engine/named_model.h"

#include <algorithm>

#include "base/did_you_mean.h"
#include "metric/registry.h"
#include "model/builtin_models.h"

namespace acutance {
namespace {

bool HasName(const OutputSpec& output, std::string_view name) { return output.name == name || output.alias == name; }

const OutputSpec* MainOutput(const Metric& metric) {
  const auto is_less = [](const OutputSpec& a, const OutputSpec& b) {
    return a.is_model != b.is_model ? b.is_model : a.rank < b.rank;
  };
  return metric.outputs.empty() ? nullptr : &*std::ranges::max_element(metric.outputs, is_less);
}

/// Null: no metric and no output is called so.
const OutputSpec* FindOutput(std::string_view version) {
  if (const Metric* metric = FindMetric(version)) return IsInternal(*metric) ? nullptr : MainOutput(*metric);
  if (version.empty()) return nullptr;
  for (const Metric* metric : AllMetrics())
    for (const OutputSpec& output : metric->outputs)
      if (!IsInternal(*metric) && HasName(output, version)) return &output;
  return nullptr;
}

Status CheckName(const OutputSpec& output, std::string_view name) {
  const Metric& metric = *FindMetricByOutput(output.name);
  if (std::ranges::none_of(metric.outputs, [&](const OutputSpec& other) { return HasName(other, name); })) return {};
  return Error(
      StatusCode::kInvalidArgument,
      "a model cannot be named '{}', as a feature that it computes: --feature {} gives that, and a model needs "
      "a name of its own (version=...:name=...)",
      name, metric.name);
}

}  // namespace

bool IsNamedModel(std::string_view version) { return FindBuiltinModel(version) || FindOutput(version); }

Result<Model> LoadNamedModel(std::string_view version, std::string_view name) {
  const OutputSpec* const output = FindBuiltinModel(version) ? nullptr : FindOutput(version);
  if (!output) {
    Result<Model> model = LoadBuiltinModel(version, name);
    if (model.ok()) return model;
    return Error(model.status().code(), "{}; metrics are models, too{}", model.status().message(),
                 DidYouMean(version, MetricNames()));
  }
  ACU_RETURN_IF_ERROR(CheckName(*output, name));
  Model model;
  model.name = name;
  model.source = version;
  model.features = {{std::string(output->name), {}}};
  model.own = ScoreTraits{.better = output->better, .unit = output->unit, .clip = std::string(output->clip)};
  return model;
}

}  // namespace acutance
