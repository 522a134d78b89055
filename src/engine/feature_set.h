// Which metrics a session runs: the requests of users and models, merged, with their output columns.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "metric/metric.h"
#include "metric/options.h"
#include "model/score_table.h"

namespace acutance {

struct FeatureRequest {
  std::string metric;  // "adm"
  OptionTexts options;
};

/// One metric with one set of options.
struct MetricRun {
  const Metric* metric;
  OptionValues options;
  std::unique_ptr<Extractor> extractor;  // set by MakeExtractors
  std::vector<bool> enabled;             // per output
  std::vector<int> columns;              // per output: score table column, -1 where disabled
  bool on_device = false;                // a DeviceLane runs it, not the thread pool
};

class FeatureSet {
 public:
  /// Adds a metric. A request whose key-relevant options equal those of an earlier one is served by the earlier one
  /// (spec/system.md 3.2). Returns the index of the run that serves it.
  Result<int> Add(const FeatureRequest& request);

  /// As Add, for the metric that writes a stored output name such as "VMAF_integer_feature_adm2_score"; returns
  /// the key under which that output is stored.
  Result<std::string> AddByOutput(const std::string& output_name, const OptionTexts& options);

  /// One sentence for each request whose options could not count, as an earlier one serves it.
  const std::vector<std::string>& ignored() const { return ignored_; }

  bool NeedsChroma() const;
  bool NeedsDistorted() const;

  Status MakeExtractors(const PictureFormat& format);

  /// Adds the columns of all runs: per-frame outputs first, in order of the runs, then those written at the flush.
  Status AddColumns(ScoreTable& table);

  std::vector<MetricRun>& runs() { return runs_; }
  const std::vector<MetricRun>& runs() const { return runs_; }

 private:
  std::vector<MetricRun> runs_;
  std::vector<std::string> ignored_;
};

}  // namespace acutance
