// Summary of a run, which the JSON document for scripts, tables and pages show.
#pragma once

#include <acutance/facts.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "base/json.h"
#include "run/run_bound.h"
#include "stats/pool.h"
#include "stats/requirement.h"
#include "stats/score_table.h"
#include "stats/segments.h"

namespace acutance {

/// The name and version of the machine contract, docs/schema/acutance-1.json.
inline constexpr const char* kSchemaName = "acutance/1";

/// A column that a model wrote; all others are features.
struct SummaryModel {
  std::string column;                     // stored name: "vmaf"
  std::string source;                     // "vmaf_v0.6.1" or a path
  std::vector<std::string> members = {};  // of a collection's score: the columns of its members
};

/// Statistics of a number over frames; not set: no frame has it.
struct FrameStatistics {
  std::optional<double> mean{}, max{};
};

/// Spatial and temporal information of a shot of the reference: SI and TI of ITU-T P.910.
struct ShotInformation {
  FrameStatistics spatial{};
  FrameStatistics temporal{};  // without the difference from the shot before
};

/// A second of a video, and what is wrong in it.
struct BadSecond {
  int64_t begin = 0, end = 0;  // frames begin to end - 1
  double mean = 0;
  std::string cause{};  // "banding"; empty: nothing, or not known
};

/// The worst seconds of a video, the worst one first.
struct BadSeconds {
  std::string by;    // the score that ranks them, as logs show it
  std::string clip;  // the aggregate that stands for its mean; empty: none does
  ScoreDirection better = ScoreDirection::kHigher;
  std::vector<BadSecond> seconds;
};

struct SummaryVideo {
  std::string distorted;
  const ScoreTable* scores = nullptr;
  const Alignment* alignment = nullptr;  // null: frames are paired by their numbers, not checked
  bool knows_pairs = true;               // false: they were aligned in a way that is not known any more
  std::optional<uint64_t> bytes = {};    // of the file; not set: not a regular file
  std::optional<double> bit_rate = {};   // bits a second, of the whole file; not set where its duration is not known
  std::optional<int64_t> frames = {};    // scored with their partners; not set: Summary::frame_count
  std::optional<std::vector<Part>> shots = {};         // not set: not detected
  std::vector<ShotInformation> shot_information = {};  // by shot; empty: not measured
  std::optional<std::vector<Part>> segments = {};
  std::optional<BadSeconds> worst_seconds = {};  // not set: not requested, or no score ranks frames
};

struct SummaryDevice {
  std::string backend;  // "cuda"
  int index = 0;
  std::string name;
  int batch = 1;  // frame pairs
  uint64_t memory_bytes = 0;
  uint64_t wanted_bytes = 0;  // more than memory_bytes: the run was slower for the lack of them
};

struct Summary {
  std::string version;
  std::string reference;
  int width = 0;
  int height = 0;
  int bit_depth = 0;
  std::string pixel_format;
  int64_t frame_count = 0;  // frame pairs read, of the longest video
  int n_subsample = 1;
  double seconds = 0;
  std::optional<RunBound> bound = {};  // not set: scores of earlier runs
  int threads = 1;
  std::vector<SummaryModel> models;
  std::vector<SummaryVideo> videos;
  std::vector<std::string> warnings;
  std::vector<std::string> model_reasons = {};  // of models that were chosen for the videos
  std::vector<SummaryDevice> devices = {};      // next to the CPU
  std::vector<Input> inputs = {};               // the reference first; empty: not known
  std::optional<double> frame_rate = {};
  std::vector<NamedPool> pools = UsualPools();
  std::vector<NamedPool> part_pools = ParsePools("mean,min").value();  // of segments and shots
  std::vector<Verdict> verdicts = {};                                  // of what was required
  Json receipt = {};                                                   // sealed (report/receipt.h); null: none
};

/// "83 % of the time waited for decoding dis.mp4; --decoder auto would help"; empty: not known.
std::string DescribeBound(const Summary& summary);

/// Properties of a column's scores that pooling needs: of a part, or of the whole video.
PoolContext ContextOf(const Summary& summary, const ScoreTable::Column& column, const Part* part = nullptr);

int64_t FramesOf(const Summary& summary, const SummaryVideo& video);

/// The frames of a video's column that were scored, or those of `part`.
std::optional<std::vector<double>> ScoresOf(const Summary& summary, const SummaryVideo& video,
                                            const ScoreTable::Column& column, const Part* part = nullptr);

/// One JSON document as docs/schema/acutance-1.json describes it: a strict JSON text with numbers that read back to the
/// same double, null where there is none.
std::string SummaryJson(const Summary& summary);

/// The same document in one line, for `acutance score --progress ndjson`.
std::string SummaryLine(const Summary& summary);

/// Whether each requirement holds for each video. Names are those that logs show, stored names, or a model's; one that
/// no column has is an error.
Result<std::vector<Verdict>> JudgeSummary(const Summary& summary, const std::vector<Requirement>& requirements);

/// The column of a requirement, nullopt for an aggregate; an error where there is neither.
Result<std::optional<int>> FindScore(const Requirement& requirement, const ScoreTable& table,
                                     const std::vector<SummaryModel>& models);

/// The column of a video with that score of frames; an error where there is none.
Result<const ScoreTable::Column*> FindFrameScore(const Summary& summary, const SummaryVideo& video,
                                                 const std::string& score);

}  // namespace acutance
