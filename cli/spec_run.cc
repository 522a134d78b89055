#include "cli/spec_run.h"

#include <memory>
#include <string_view>
#include <utility>

#include "cli/terminal.h"
#include "metric/registry.h"
#include "model/builtin_models.h"
#include "model/model_parser.h"

namespace acutance::cli {
namespace {

Result<ModelRequest> LoadModel(const ModelSpec& spec, bool predict) {
  Result<Model> loaded =
      spec.version.empty() ? LoadModelFile(spec.path, spec.name) : LoadBuiltinModel(spec.version, spec.name);
  if (!loaded.ok()) return loaded.status();
  Model model = std::move(loaded).value();
  for (const auto& [metric, options] : spec.overloads)
    for (const auto& [option, value] : options) {
      if (!FindMetric(metric))
        return Error(StatusCode::kInvalidArgument, "model {}: no such feature '{}' in {}.{}={}", spec.label(), metric,
                     metric, option, value);
      OverloadFeature(model, metric, option, value, MetricNameOfOutput);
    }
  return ModelRequest{std::make_shared<const Model>(std::move(model)),
                      {spec.disable_clip, spec.enable_transform, spec.disable_transform},
                      predict};
}

}  // namespace

ScoredRun RunSpecs(RunRequest request, const std::vector<ModelSpec>& models, bool predict) {
  for (const ModelSpec& spec : models) {
    Result<ModelRequest> model = LoadModel(spec, predict);
    if (!model.ok()) {
      ScoredRun failed;
      failed.error = RunError{RunStage::kModel, model.status()};
      return failed;
    }
    request.models.push_back(std::move(model).value());
  }
  request.watch_cancel = [](std::function<void()> cancel) {
    return std::make_shared<InterruptScope>(std::move(cancel));
  };
  return RunScore(request);
}

}  // namespace acutance::cli
