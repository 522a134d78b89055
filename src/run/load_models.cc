#include "run/load_models.h"

#include <memory>
#include <set>
#include <utility>

#include "metric/registry.h"
#include "model/builtin_models.h"
#include "model/model_parser.h"

namespace acutance {
namespace {

using Warnings = std::vector<std::string>;

/// Sets the options that a spec gives. One that no feature of the model has is ignored: libvmaf's Python runner gives
/// every model the options of cambi.
Status ApplyOverloads(const ModelSpec& spec, UnknownOptions unknown, Model& model, Warnings& warnings) {
  for (const auto& [metric, options] : spec.overloads) {
    for (const auto& [option, value] : options) {
      if (unknown == UnknownOptions::kRefused && !FindMetric(metric))
        return Error(StatusCode::kInvalidArgument, "model {}: no such feature '{}' in {}.{}={}", spec.label(), metric,
                     metric, option, value);
      if (OverloadFeature(model, MetricName(metric), option, value, MetricNameOfOutput) == 0)
        warnings.push_back(fmt::format("model {}: {}.{}={} is ignored, for the model reads no feature of '{}'",
                                       spec.label(), metric, option, value, metric));
    }
  }
  return {};
}

void DropUnknownOptions(Model& model, Warnings& warnings) {
  for (ModelFeature& feature : model.features)
    feature.options = KnownOptions({std::string(MetricNameOfOutput(feature.name)), feature.options}, warnings);
}

Result<ModelRequest> LoadModel(const ModelSpec& spec, UnknownOptions unknown, bool predict, Warnings& warnings) {
  Result<Model> loaded =
      spec.version.empty() ? LoadModelFile(spec.path, spec.name) : LoadBuiltinModel(spec.version, spec.name);
  if (!loaded.ok()) return loaded.status();
  Model model = std::move(loaded).value();
  ACU_RETURN_IF_ERROR(ApplyOverloads(spec, unknown, model, warnings));
  if (unknown == UnknownOptions::kIgnored) DropUnknownOptions(model, warnings);
  return ModelRequest{std::make_shared<const Model>(std::move(model)),
                      {spec.disable_clip, spec.enable_transform, spec.disable_transform},
                      predict};
}

}  // namespace

Status LoadModels(RunRequest& request, Warnings& warnings, UnknownOptions unknown, bool predict) {
  for (const ModelSpec& spec : request.choice.specs) {
    ACU_ASSIGN_OR_RETURN(ModelRequest model, LoadModel(spec, unknown, predict, warnings));
    request.models.push_back(std::move(model));
  }
  if (unknown == UnknownOptions::kIgnored)
    for (FeatureRequest& feature : request.features) feature.options = KnownOptions(feature, warnings);
  std::set<std::string> seen;  // features of one metric have the same options
  std::erase_if(warnings, [&](const std::string& warning) { return !seen.insert(warning).second; });
  return {};
}

}  // namespace acutance
