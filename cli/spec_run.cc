#include "cli/spec_run.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/cancellation_token.h"
#include "cli/terminal.h"
#include "metric/registry.h"
#include "model/builtin_models.h"
#include "model/model_parser.h"

namespace acutance::cli {
namespace {

using Warnings = std::vector<std::string>;

/// Sets the options that a spec gives. One that reaches no feature of the model is ignored: libvmaf's Python runner
/// gives every model the options of cambi.
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

/// Fills the request; the warnings are each once, since features of one metric have the same options.
Status FillRequest(const std::vector<ModelSpec>& models, UnknownOptions unknown, bool predict, RunRequest& request,
                   Warnings& warnings) {
  for (const ModelSpec& spec : models) {
    ACU_ASSIGN_OR_RETURN(ModelRequest model, LoadModel(spec, unknown, predict, warnings));
    request.models.push_back(std::move(model));
  }
  if (unknown == UnknownOptions::kIgnored)
    for (FeatureRequest& feature : request.features) feature.options = KnownOptions(feature, warnings);
  std::set<std::string> seen;
  std::erase_if(warnings, [&](const std::string& warning) { return !seen.insert(warning).second; });
  return {};
}

/// The first Ctrl-C in a step of a run cancels it.
class StepWatch {
 public:
  StepWatch(const std::shared_ptr<CancellationToken>& run, std::function<void()> stop)
      : watch_(run->Watch(std::move(stop))), interrupt_([run] { run->Cancel(); }) {}

 private:
  const std::shared_ptr<void> watch_;
  const InterruptScope interrupt_;
};

/// Lets Ctrl-C cancel the request's runs where nothing else does.
void HeedInterrupt(RunRequest& request) {
  if (request.watch_cancel) return;
  request.watch_cancel = [run = CancellationToken::Make()](std::function<void()> stop) {
    return std::make_shared<StepWatch>(run, std::move(stop));
  };
}

}  // namespace

Result<std::vector<std::string>> AddSpecs(const std::vector<ModelSpec>& models, RunRequest& request) {
  Warnings warnings;
  ACU_RETURN_IF_ERROR(FillRequest(models, UnknownOptions::kRefused, true, request, warnings));
  HeedInterrupt(request);
  return warnings;
}

ScoredRun LoadModelsAndRun(RunRequest request, const std::vector<ModelSpec>& models, UnknownOptions unknown,
                           bool predict) {
  Warnings warnings;
  ScoredRun run;
  const Status status = FillRequest(models, unknown, predict, request, warnings);
  if (request.on_warning) std::ranges::for_each(warnings, request.on_warning);
  if (status.ok()) {
    HeedInterrupt(request);
    run = RunScore(request);
  } else {
    run.error = RunError{RunStage::kModel, status};
  }
  run.warnings.insert(run.warnings.begin(), warnings.begin(), warnings.end());
  return run;
}

}  // namespace acutance::cli
