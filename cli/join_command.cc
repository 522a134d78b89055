#include "cli/join_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/usable_cpus.h"
#include "cli/exit_status.h"
#include "cli/score_command.h"
#include "run/join_run.h"

namespace acutance::cli {
namespace {

int Fail(int exit_status, const std::string& message) {
  fmt::print(stderr, "acutance join: {}\n", message);
  return exit_status;
}

}  // namespace

int RunJoinCommand(const std::vector<std::string>& journals, const ScoreTexts& texts) {
  const Result<NumberFormat> numbers = NumberFormat::Parse(texts.precision);
  if (!numbers.ok()) return Fail(kUsage, numbers.status().message());
  ScoreArgs args;
  args.threads = UsableCpus();
  const JoinedRun joined = JoinJournals(journals, args.threads);
  if (joined.run.error) return Fail(kFailed, joined.run.error->status.message());
  for (const std::string& warning : joined.run.warnings) fmt::print(stderr, "acutance: warning: {}\n", warning);
  args.reference = joined.request.reference;
  args.distorted = joined.request.distorted;
  args.subsample = joined.request.subsample;
  if (const Status status = ReadLogArgs(texts, args); !status.ok()) return Fail(kUsage, status.message());
  if (const Status status = CheckOutputs(args); !status.ok()) return Fail(kFailed, status.message());
  return ReportScores(args, joined.run, *numbers);
}

}  // namespace acutance::cli
