#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/usable_cpus.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "log/json_text.h"
#include "log/read/score_log.h"
#include "run/explain/explain.h"
#include "run/explain/pooled_score.h"
#include "run/run_options.h"

namespace acutance::cli {
namespace {

/// The log with its engine's names and frames in order. A log without frames has none.
LoggedScores ScoresOf(ScoreLog log) {
  LoggedScores scores{std::move(log.path), std::move(log.version), log.frames, std::max<int64_t>(log.Step(), 1)};
  for (LoggedColumn& column : log.columns) scores.columns.push_back({std::move(column.name), std::move(column.scores)});
  return scores;
}

std::string TextOf(const ExplainCandidate& candidate) {
  return fmt::format("{} (distance {:.3g})", candidate.text.empty() ? "a plain comparison" : candidate.text,
                     candidate.distance);
}

void Print(const Explanation& explanation) {
  fmt::print("{}\n", explanation.Sentence());
  if (!explanation.pooling.empty()) fmt::print("{}\n", explanation.pooling);
  if (explanation.is_known()) fmt::print("confidence {:.2f}\n", explanation.confidence);
  if (explanation.best) fmt::print("nearest: {}\n", TextOf(*explanation.best));
  if (explanation.second) fmt::print("second:  {}\n", TextOf(*explanation.second));
  for (const std::string& note : explanation.notes) fmt::print("note: {}\n", note);
}

}  // namespace

int RunExplainCommand(ExplainTexts texts) {
  if (const Status status = CompleteRequest(texts.run); !status.ok()) return Fail("explain", status, kUsage);
  Result<ScoreLog> log = ReadScoreLog(texts.log);
  if (!log.ok()) return Fail("explain", log.status());
  const LoggedScores scores = ScoresOf(*std::move(log));
  std::string pooling;
  if (!texts.score.empty()) {
    Result<std::string> found = ExplainPooledScore(scores, texts.score);
    if (!found.ok()) return Fail("explain", found.status(), kUsage);
    pooling = *std::move(found);
  }
  Result<Explanation> explanation = ExplainLog(scores, texts.reference, texts.distorted, texts.run.open, UsableCpus());
  if (!explanation.ok()) return Fail("explain", explanation.status());
  explanation->pooling = pooling;
  if (texts.json) fmt::print("{}", JsonText(ExplanationJson(*explanation)));
  else Print(*explanation);
  return explanation->is_known() ? kOk : kFailed;
}

}  // namespace acutance::cli
