// Features of a session: the requests of users and models, merged into metric runs with their output columns.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "metric/metric.h"
#include "metric/options.h"
#include "stats/score_table.h"

namespace acutance {

struct FeatureRequest {
  std::string metric;  // "adm"
  OptionTexts options;
};

inline constexpr std::string_view kDeclared = "declared ";

/// The options that the request's metric has. libvmaf ignores others; `warnings` gets a sentence for each.
OptionTexts KnownOptions(const FeatureRequest& request, std::vector<std::string>& warnings);

/// One metric with one set of options, for all distorted videos or for one whose options are its own.
struct MetricRun {
  const Metric* metric;
  OptionValues options;
  std::vector<BoundInput> inputs;
  std::unique_ptr<Extractor> extractor{};   // set by MakeExtractors
  std::vector<bool> enabled{};              // per output
  std::vector<std::vector<int>> columns{};  // [distorted video][output]: of its score table; -1: not there
  bool on_device = false;                   // a DeviceLane runs it, not the thread pool
  OptionTexts asked{};                      // the options that were set explicitly
  bool stays_on_cpu = false;                // devices lack an input or an option that it needs
  bool is_requested = false;                // by the user; others serve models alone
  std::shared_ptr<const Setup> setup{};     // the options as the metric has read them, or its defaults
  Status refusal{};                         // why it refuses the options, which MakeExtractors returns
  int only = -1;                            // the one distorted video that it serves; -1: all

  /// Whether devices can run it; of pictures of any size before MakeExtractors.
  bool HasPlan() const { return metric->make_plan != nullptr && !stays_on_cpu; }
  /// A run that does not read them has one result for all distorted videos.
  bool ReadsDistorted() const { return Reads(Video::kDistorted); }
  bool Serves(int distorted) const { return only < 0 || only == distorted; }
  /// How many results a frame of `videos` distorted videos has, and whose the k-th is; -1: of all.
  int Results(int videos) const { return only < 0 && ReadsDistorted() ? videos : 1; }
  int VideoOf(int result) const { return only >= 0 ? only : ReadsDistorted() ? result : -1; }
  bool Reads(Video video) const;
  /// How many earlier pictures of `video` it reads.
  int History(Video video) const;
};

struct RunOutput {
  const MetricRun* run;
  const OutputSpec* output;
};

/// The output that is stored under `key`; nullopt where no run writes it.
std::optional<RunOutput> FindOutput(std::span<const MetricRun> runs, std::string_view key);

/// "dB"; empty: none.
std::string_view UnitOf(const OutputSpec& output, const OptionValues& options);

class FeatureSet {
 public:
  explicit FeatureSet(int videos = 1) : videos_(videos) {}  // distorted ones

  /// Adds a metric for one distorted video, or for all (-1). A request whose key-relevant options equal those of an
  /// earlier one is served by the earlier one (docs/spec/system.md 3.2). Returns the index of the run that serves it,
  /// or the first video.
  Result<int> Add(const FeatureRequest& request, int only = -1);
  /// Adds a user's own feature for all videos.
  Status AddRequested(const FeatureRequest& request);
  /// Adds a metric of the registry, also one that users cannot name, with its default options and a run of its own.
  Result<int> AddTap(const std::string& metric);

  /// Adds the metric that writes a stored output name such as "VMAF_integer_feature_adm2_score". Returns the key under
  /// which that output is stored.
  Result<std::string> AddByOutput(const std::string& output_name, const OptionTexts& options, int only = -1);

  /// What the video itself declares, such as its frame rate, by names of options: metrics that have such an option use
  /// it unless another value was set explicitly. Options that metrics must not guess (Metric::must_be_declared) are
  /// named with kDeclared in front: others may take a value by default that the video declares. Before MakeExtractors.
  Status Describe(const OptionTexts& video);

  /// One sentence for each request whose options have no effect because an earlier request serves it.
  const std::vector<std::string>& ignored() const { return ignored_; }

  /// Whether any run reads chroma, directly or by a derived input.
  bool NeedsChroma() const;
  bool Reads(Video video) const;
  /// How many earlier pictures of `video` the runs read at most.
  int History(Video video) const;
  /// The derived pictures of `video` that any run reads, each once.
  const std::vector<std::shared_ptr<const DerivedInput>>& derived(Video video) const {
    return derived_[static_cast<int>(video)];
  }

  /// Makes runs hand out their artifacts.
  void RequestArtifacts() { makes_artifacts_ = true; }
  /// A run also does where an option of its metric has them written to files.
  bool MakesArtifacts(const MetricRun& run) const;
  std::vector<InputSpec> Inputs(std::span<const int> runs) const;

  Status MakeExtractors(const PictureFormat& format);

  /// Adds the columns of a distorted video's runs: per-frame outputs first, in order of the runs, then those written at
  /// the flush.
  Status AddColumns(ScoreTable& table, int distorted);

  /// These columns in the order that they have where the clip is a single frame.
  std::vector<int> ColumnsOfOneFrame(int distorted) const;

  std::vector<MetricRun>& runs() { return runs_; }
  const std::vector<MetricRun>& runs() const { return runs_; }

 private:
  struct OutputIndex {
    size_t run;
    size_t output;
  };
  std::vector<OutputIndex> OutputsInOrder(int distorted, bool one_frame) const;
  MetricRun& AddRun(const Metric& metric, OptionValues options, const FeatureRequest& request);
  void PrepareRun(MetricRun& run);
  BoundInput Bind(InputSpec input);

  int videos_;
  std::vector<MetricRun> runs_;
  std::array<std::vector<std::shared_ptr<const DerivedInput>>, 2> derived_;  // by Video
  bool makes_artifacts_ = false;
  std::vector<std::string> ignored_;
};

}  // namespace acutance
