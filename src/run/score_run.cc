#include "run/score_run.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "run/attempt.h"
#include "run/plan_alignment.h"
#include "run/video_cache.h"

namespace acutance {
namespace {

/// Passes each warning on once: attempts repeat theirs.
std::function<void(const std::string&)> WarnOnce(std::function<void(const std::string&)> warn) {
  struct Warned {
    std::mutex mutex;
    std::set<std::string> warnings;
  };
  return [warned = std::make_shared<Warned>(), warn = std::move(warn)](const std::string& warning) {
    const std::lock_guard lock(warned->mutex);
    if (warned->warnings.insert(warning).second) warn(warning);
  };
}

template <class Function>
Result<AlignmentPlan> PlanOrError(Function make) {
  Result<AlignmentPlan> plan = AlignmentPlan();
  const Status status = CatchExceptions([&] {
    plan = make();
    return Status();
  });
  return status.ok() ? std::move(plan) : status;
}

ScoredRun Unaligned(Status status) {
  ScoredRun run;
  run.error = RunError{RunStage::kPair, std::move(status)};
  return run;
}

/// Ends a run: warnings of its alignment come last, and that of a decoder first, where the run has scores.
ScoredRun Done(const RunRequest& request, AttemptResult result, const std::optional<std::string>& decoder_warning) {
  std::vector<std::string>& warnings = result.run.warnings;
  if (decoder_warning && !result.run.error) warnings.insert(warnings.begin(), *decoder_warning);
  for (std::string& warning : result.alignment_warnings) {
    if (request.on_warning) request.on_warning(warning);
    warnings.push_back(std::move(warning));
  }
  return std::move(result.run);
}

}  // namespace

ScoredRun RunScore(const RunRequest& asked) {
  using Outcome = AttemptResult::Outcome;
  RunRequest request = asked;
  if (request.on_warning) request.on_warning = WarnOnce(request.on_warning);
  VideoCache videos(request);
  Attempt attempt{.decoder = request.decoder};
  Result<AlignmentPlan> plan = PlanOrError([&] { return PlanFirstAttempt(request, videos); });
  std::optional<std::string> decoder_warning;
  while (plan.ok()) {
    attempt.alignment = *plan;
    AttemptResult result = RunAttempt(request, attempt, videos);
    if (result.outcome == Outcome::kDone) return Done(request, std::move(result), decoder_warning);
    if (result.outcome == Outcome::kNoNvdec) {
      attempt.decoder = Decoder::kCpu;
      decoder_warning = fmt::format("with NVDEC: {}; started again without, scores do not change",
                                    result.run.error->status.message());
      if (request.on_warning) request.on_warning(*decoder_warning);
      continue;
    }
    plan = PlanOrError([&] {
      return PlanNextAttempt(request, result.task, attempt.alignment, std::move(result.misalignment), videos);
    });
    attempt.decoder = request.decoder;
    decoder_warning.reset();
  }
  return Unaligned(plan.status());
}

}  // namespace acutance
