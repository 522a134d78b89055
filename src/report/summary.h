// The result of a run as one JSON document for scripts: strict JSON, numbers that read back to the same double.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "model/score_table.h"

namespace acutance {

/// A column that a model wrote; all others are features.
struct SummaryModel {
  std::string column;  // stored name: "vmaf"
  std::string source;  // "vmaf_v0.6.1" or a path
};

struct SummaryVideo {
  std::string distorted;
  const ScoreTable* scores = nullptr;
  const Alignment* alignment = nullptr;  // null: frames are paired by their order, unlooked at
};

struct SummaryDevice {
  std::string backend;  // "cuda"
  int index = 0;
  std::string name;
  int batch = 1;  // frame pairs
  uint64_t memory_bytes = 0;
};

struct Summary {
  std::string version;
  std::string reference;
  int width = 0;
  int height = 0;
  int bit_depth = 0;
  std::string pixel_format;
  int64_t frame_count = 0;  // frame pairs read
  int n_subsample = 1;
  double seconds = 0;
  int threads = 1;
  std::vector<SummaryModel> models;
  std::vector<SummaryVideo> videos;
  std::vector<std::string> warnings;
  std::vector<std::string> model_reasons = {};  // of models that were chosen for the videos
  std::vector<SummaryDevice> devices = {};      // beside the CPU
};

/// {"version", "reference": {...}, "frames", "subsample", "seconds", "fps", "threads", "devices": [{"backend",
/// "device", "name", "batch", "memory_bytes"}, ...], "results": [{"distorted",
/// "models": {name: statistics}, "features": {name: statistics}, "aggregates": {name: value}, "alignment": {"by",
/// "text", "confidence", "late", "dropped", "repeated", "pairs", "unmatched_reference", "unmatched_distorted"}}, ...],
/// "model_reasons",
/// "warnings"}. Statistics: mean, harmonic_mean, min, max, median, stddev and percentiles 1..99; null where a score is
/// missing.
std::string SummaryJson(const Summary& summary);

}  // namespace acutance
