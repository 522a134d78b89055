#include "cli/commands.h"

#include "base/usable_cpus.h"
#include "cli/exit_status.h"
#include "cli/score_command.h"
#include "run/join_run.h"

namespace acutance::cli {

int RunJoinCommand(const std::vector<std::string>& journals, ScoreRequest& request) {
  RunRequest& run = request.run;
  run.threads = UsableCpus();
  const JoinedRun joined = JoinJournals(journals, run.threads);
  if (joined.run.error) return Fail("join", joined.run.error->status);
  for (const std::string& warning : joined.run.warnings) PrintWarning(warning);
  run.reference = joined.request.reference;
  run.distorted = joined.request.distorted;
  run.subsample = joined.request.subsample;
  if (const Status status = CompleteLogs(request); !status.ok()) return Fail("join", status, kUsage);
  if (const Status status = CheckOutputs(request); !status.ok()) return Fail("join", status);
  return ReportScores(request, joined.run);
}

}  // namespace acutance::cli
