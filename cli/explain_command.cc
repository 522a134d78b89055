#include <fmt/format.h>

#include <cstdio>

#include "base/usable_cpus.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "log/json_text.h"
#include "report/explain/explain.h"
#include "run/run_options.h"

namespace acutance::cli {
namespace {

std::string TextOf(const ExplainCandidate& candidate) {
  return fmt::format("{} (distance {:.3g})", candidate.text.empty() ? "a plain comparison" : candidate.text,
                     candidate.distance);
}

void Print(const Explanation& explanation) {
  fmt::print("{}\n", explanation.Sentence());
  if (explanation.is_known()) fmt::print("confidence {:.2f}\n", explanation.confidence);
  if (explanation.best) fmt::print("nearest: {}\n", TextOf(*explanation.best));
  if (explanation.second) fmt::print("second:  {}\n", TextOf(*explanation.second));
  for (const std::string& note : explanation.notes) fmt::print("note: {}\n", note);
}

}  // namespace

int RunExplainCommand(ExplainTexts texts) {
  if (const Status status = CompleteRequest(texts.run); !status.ok()) return Fail("explain", status, kUsage);
  const Result<ScoreLog> log = ReadScoreLog(texts.log);
  if (!log.ok()) return Fail("explain", log.status());
  const Result<Explanation> explanation =
      ExplainLog(*log, texts.reference, texts.distorted, texts.run.open, UsableCpus());
  if (!explanation.ok()) return Fail("explain", explanation.status());
  if (texts.json) fmt::print("{}", JsonText(ExplanationJson(*explanation)));
  else Print(*explanation);
  return explanation->is_known() ? kOk : kFailed;
}

}  // namespace acutance::cli
