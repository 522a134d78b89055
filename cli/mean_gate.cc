#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "cli/score_command.h"
#include "cli/spec_run.h"
#include "cli/terminal.h"
#include "log/json_text.h"
#include "report/mean_verdict.h"
#include "run/judge_mean.h"

namespace acutance::cli {

int RunMeanGate(const ScoreRequest& score) {
  WatchInterrupt();
  Progress progress(score.quiet);
  RunRequest request = score.run;
  request.on_warning = [&](const std::string& warning) { progress.Note("acutance: warning: " + warning); };
  const auto judge = [&]() -> Result<MeanVerdict> {
    ACU_ASSIGN_OR_RETURN(const std::vector<std::string> warnings, Prepare(request));
    std::ranges::for_each(warnings, request.on_warning);
    ACU_ASSIGN_OR_RETURN(MeanVerdict verdict, JudgeMean(request, score.gate, [&](const acutance::Progress& now) {
                           progress.Update({now.frames, now.total, now.model, now.score, 0});
                           return Next::kContinue;
                         }));
    verdict.warnings.insert(verdict.warnings.begin(), warnings.begin(), warnings.end());
    return verdict;
  };
  const Result<MeanVerdict> verdict = judge();
  progress.Clear();
  if (!verdict.ok())
    return Fail("", verdict.status(), verdict.status().code() == StatusCode::kCancelled ? kInterrupted : kFailed);
  if (score.json) fmt::print("{}", JsonText(MeanVerdictJson(*verdict)));
  else fmt::print("{}\n", verdict->text);
  return verdict->holds ? kOk : kNotReached;
}

}  // namespace acutance::cli
