#include "cli/spec_run.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/cancellation_token.h"
#include "metric/registry.h"

namespace acutance::cli {
namespace {

/// The first Ctrl-C in a step of a run cancels it.
class StepWatch {
 public:
  StepWatch(const std::shared_ptr<CancellationToken>& run, std::function<void()> stop)
      : watch_(run->Watch(std::move(stop))), interrupt_([run] { run->Cancel(); }) {}

 private:
  const std::shared_ptr<void> watch_;
  const InterruptScope interrupt_;
};

/// Lets Ctrl-C cancel the request's runs unless the request has its own cancellation.
void HeedInterrupt(RunRequest& request) {
  if (request.watch_cancel) return;
  request.watch_cancel = [run = CancellationToken::Make()](std::function<void()> stop) {
    return std::make_shared<StepWatch>(run, std::move(stop));
  };
}

}  // namespace

Result<OptionValues> OptionsOf(const FeatureRequest& feature) {
  ACU_ASSIGN_OR_RETURN(const Metric* const metric, NamedMetric(feature.metric));
  Result<OptionValues> options = OptionValues::Parse(metric->options, feature.options);
  return options.ok() ? std::move(options) : Prefixed("feature " + feature.metric, options.status());
}

Result<std::vector<std::string>> Prepare(RunRequest& request) {
  std::vector<std::string> warnings;
  ACU_RETURN_IF_ERROR(LoadModels(request, warnings));
  HeedInterrupt(request);
  return warnings;
}

ScoredRun LoadModelsAndRun(RunRequest request, UnknownOptions unknown, bool predict) {
  std::vector<std::string> warnings;
  ScoredRun run;
  const Status status = LoadModels(request, warnings, unknown, predict);
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

void ShowProgress(const Session& session, std::optional<int64_t> total, Progress& progress) {
  if (!progress.IsDue()) return;
  Progress::State state{session.frames_done(), total, {}, {}, session.first_frame()};
  if (!session.models().empty() && session.models()[0].predicts()) {
    state.label = session.models()[0].model().name;
    state.score = session.RunningMean(0, 0);
  }
  progress.Update(state);
}

}  // namespace acutance::cli
