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

/// What a distorted video was scored with.
struct ViewedVideo {
  const ScoreTable* scores = nullptr;
  std::span<const ModelRun> models;    // of its session
  std::span<const MetricRun> metrics;  // of its session: those that serve `number` are its own
  int number = 0;                      // in the session
};

/// The parts may lie in the run's sessions, or outlive them.
struct RunView {
  const ScoredRun* run = nullptr;      // whose sessions are not read
  std::vector<ViewedVideo> videos;     // by distorted video
  std::vector<SummaryDevice> devices;  // next to the CPU
  int subsample = 1;
};

std::vector<SummaryDevice> DevicesOf(const Session& session);

/// A view with the parts of a run's sessions.
RunView ViewOf(const ScoredRun& run);

/// The aligned frames of a distorted video as --align reads them: by index where the run needed no alignment.
std::string PairsCsv(const ScoredRun& run, size_t video);

}  // namespace acutance
