// A finished run as summaries, pages and maps read it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/feature_set.h"
#include "engine/model_run.h"
#include "report/summary.h"
#include "run/score_run.h"
#include "stats/score_table.h"

namespace acutance {

/// The parts may lie in the run's session, or outlive it.
struct RunView {
  const ScoredRun* run = nullptr;  // whose session is not read
  std::span<const ModelRun> models;
  std::span<const MetricRun> metrics;
  std::vector<const ScoreTable*> tables;  // one a distorted video
  std::vector<SummaryDevice> devices;     // next to the CPU
  int subsample = 1;
};

std::vector<SummaryDevice> DevicesOf(const Session& session);

/// A view with the parts of a run's session.
RunView ViewOf(const ScoredRun& run);

/// The aligned frames of a distorted video as --align reads them: by index where the run needed no alignment.
std::string PairsCsv(const ScoredRun& run, size_t video);

}  // namespace acutance
