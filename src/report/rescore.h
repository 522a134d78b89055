// Scoring some frame pairs of two videos as a run over all would.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "log/read/score_log.h"
#include "metric/metric.h"
#include "run/score_run.h"

namespace acutance {

/// Pairs with one offset: pair k is of the reference's frame first + k and of the distorted frame `offset` after it.
struct FixedPairs {
  int64_t first = 0, offset = 0, count = 0;
};

struct Rescored {
  ScoredRun run;
  std::vector<int64_t> rows;  // of the run's table, where the wanted pairs are
};

/// wanted: numbers of pairs, ascending. Frames around them are scored, too, for metrics that look at several.
Result<Rescored> ScoreSomePairs(RunRequest request, const FixedPairs& pairs, const std::vector<int64_t>& wanted);

/// Completes a request that names no models by the built-in one whose scores the log has, loads the models, and adds
/// the features of the log's columns that they do not have. An error where no built-in model fits.
Status NameScores(const ScoreLog& log, RunRequest& request, std::vector<std::string>& notes);

/// An output by its name in logs, and its metric; null: there is none.
struct NamedOutput {
  const Metric* metric = nullptr;
  const OutputSpec* output = nullptr;
};
NamedOutput FindOutput(std::string_view name);

}  // namespace acutance
