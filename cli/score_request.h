// Request of `acutance score`: a run, and the outputs of its scores.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "log/number_format.h"
#include "run/run_options.h"
#include "run/score_run.h"
#include "stats/mean_gate.h"
#include "stats/pool.h"
#include "stats/requirement.h"
#include "stats/segments.h"

namespace acutance::cli {

/// Its options fill it (AddScoreOptions), then Complete() checks it.
struct ScoreRequest {
  RunRequest run = DefaultRequest();
  std::string output, pairs_out;  // paths with {name}; empty: none
  std::string format;
  NumberFormat numbers;   // of the logs
  std::string report;     // an HTML file; empty: none
  int worst_seconds = 0;  // in the summary
  bool look = false;      // the report shows frames first, by their numbers in the videos
  std::string junit;      // a file; empty: none
  std::string receipt;    // a file; empty: none
  std::string trace;      // a file; empty: none
  bool maps_video = false;
  bool json = false;
  bool stream_frames = false;  // --progress ndjson
  bool all_features = false;   // in the printed table, also those that models use
  bool fail_fast = false;
  bool quiet = false;
  std::vector<Requirement> requirements;
  std::vector<NamedPool> pools;  // empty: the usual ones
  std::optional<SegmentSpec> segments;
  std::optional<double> at_least, at_most;
  MeanGate gate{.confidence = 99.9 / 100};

  // What follows is filled by Complete().
  std::vector<std::string> outputs, pairs_outputs;  // one per distorted video, or none
  std::string maps;                                 // folder of the worst frames or of all of them; empty: none
  int worst = 0;                                    // the number of frames whose maps are written
  bool shots = false;                               // the table of shots is printed
  bool has_gate = false;                            // --at-least or --at-most
};

using ScoreOption = Option<ScoreRequest>;

/// Options of a run's scores: logs, reports, decisions.
std::span<const ScoreOption> ScoreOptions();

/// Checks options that depend on each other or on the distorted videos, and derives what follows from them. Called
/// once, after the last option; an error is one of usage.
Status Complete(ScoreRequest& request);

/// The same for scores that exist already: logs, poolings and requirements.
Status CompleteLogs(ScoreRequest& request);

/// Adds the feature that computes `score`, unless it is requested already: --require 'psnr_y.mean>38' and --by psnr_y
/// need no --feature.
void AddFeatureOf(const std::string& score, RunRequest& run);

/// A path as an argument of a command line, where "-x" would be an option: "./-x".
std::string AsPath(const std::string& path);

}  // namespace acutance::cli
