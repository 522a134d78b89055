// Command line of `acutance score`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/raw_format.h"
#include "cli/specs.h"
#include "devices/backends.h"
#include "image/picture.h"
#include "run/score_run.h"
#include "stats/mean_gate.h"
#include "stats/pool.h"
#include "stats/requirement.h"
#include "stats/segments.h"

namespace acutance::cli {

inline constexpr int kMaxThreads = 1024;

/// As CLI11 fills it (score_options.h); texts that need a closer look are read by ReadScoreArgs.
struct ScoreTexts {
  std::string reference;
  std::vector<std::string> distorted;
  std::vector<std::string> models;
  std::vector<std::string> features;
  std::string output;
  std::string format;
  std::string precision;
  std::string frames;
  std::string journal;
  std::string maps;
  std::string report;
  int worst = 0;
  bool maps_video = false;
  std::vector<std::string> require;
  std::string pool;
  std::string segments;
  std::string junit;
  std::optional<double> at_least;
  std::optional<double> at_most;
  double confidence = 99.9;  // percent
  uint64_t seed = 1;
  bool certain = false;
  std::string progress = "auto";
  std::string viewing = "auto";
  std::string align = "auto";
  std::string pairs_out;
  std::string scale = "ref";
  std::string scale_filter = "bicubic";
  std::string film_grain = "on";
  std::string deinterlace = "auto";
  std::string crop = "none";
  RawTexts raw;
  std::string backend = "auto";
  std::string devices;  // numbers with commas
  std::string decoder = "cpu";
  uint64_t max_vram = 0;
  uint64_t max_memory = 0;
  int verify = 0;
  int threads = 0;
  int subsample = 1;
  bool no_model = false;
  bool force = false;
  bool json = false;
  bool all_features = false;
  bool shots = false;
  bool fail_fast = false;
  bool quiet = false;
};

struct ScoreArgs {
  std::string reference;
  std::vector<std::string> distorted;
  std::optional<PictureFormat> raw;
  bool raw_is_semi_planar = false;
  std::optional<Viewing> choose_models;  // --model auto
  std::vector<ModelSpec> models;
  std::vector<FeatureRequest> features;
  std::vector<std::string> outputs;  // one per distorted video, or none
  std::string format;
  std::string precision;
  int64_t first_frame = 0;
  int64_t frame_count = 0;  // 0: all
  std::string journal;      // empty: none
  std::string maps;         // a folder; empty: none
  std::string report;       // an HTML file; empty: none
  bool maps_video = false;  // maps of all frames, as films and arrays
  int worst = 0;            // so many frames have their maps written; 0: the features' pictures of all frames
  std::vector<Requirement> requirements;
  std::vector<NamedPool> pools;  // empty: the usual ones
  std::optional<SegmentSpec> segments;
  std::optional<MeanGate> mean_gate;  // --at-least and --at-most
  std::string junit;                  // a file; empty: none
  bool stream_frames = false;
  bool shots = false;
  bool fail_fast = false;
  AlignmentRequest pairing;
  std::vector<std::string> pairs_out;  // one per distorted video, or none
  CommonSize size;
  CropChoice crop;
  Deinterlacing deinterlace = Deinterlacing::kAuto;
  bool film_grain = true;
  bool force = false;
  DeviceChoice device;
  Decoder decoder = Decoder::kCpu;
  std::optional<size_t> max_vram;    // bytes of each device
  std::optional<size_t> max_memory;  // bytes for pictures and features
  int verify = 0;
  int threads = 1;
  int subsample = 1;
  bool json = false;
  bool all_features = false;  // in the printed table, those that serve models too
  bool quiet = false;
};

/// The feature that has such a score, where it is one's and not asked for yet: --require 'psnr_y.mean>38' and --by
/// psnr_y need no --feature.
void AddFeatureOf(const std::string& score, ScoreArgs& args);

/// A path as a word of a command line, where "-x" would be an option: "./-x".
std::string AsPath(const std::string& path);

/// A failure is a usage error.
Result<ScoreArgs> ReadScoreArgs(const ScoreTexts& texts);

/// What AddLogOptions added, for the videos of `args`.
Status ReadLogArgs(const ScoreTexts& texts, ScoreArgs& args);

}  // namespace acutance::cli
