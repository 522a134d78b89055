#include "cli/join_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/usable_cpus.h"
#include "cli/exit_status.h"
#include "cli/score_command.h"
#include "run/run_journal.h"

namespace acutance::cli {
namespace {

int Fail(int exit_status, const std::string& message) {
  fmt::print(stderr, "acutance join: {}\n", message);
  return exit_status;
}

}  // namespace

int RunJoinCommand(const std::vector<std::string>& journals, ScoreRequest& request) {
  RunRequest& run = request.run;
  run.threads = UsableCpus();
  const JoinedRun joined = JoinJournals(journals, run.threads);
  if (joined.run.error) return Fail(kFailed, joined.run.error->status.message());
  for (const std::string& warning : joined.run.warnings) fmt::print(stderr, "acutance: warning: {}\n", warning);
  run.reference = joined.request.reference;
  run.distorted = joined.request.distorted;
  run.subsample = joined.request.subsample;
  if (const Status status = CompleteLogs(request); !status.ok()) return Fail(kUsage, status.message());
  if (const Status status = CheckOutputs(request); !status.ok()) return Fail(kFailed, status.message());
  return ReportScores(request, joined.run);
}

}  // namespace acutance::cli
