// The struct every metric fills, and what the engine needs of it. A room (src/metric/<name>/) defines one Metric.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "image/picture.h"
#include "metric/options.h"

namespace acutance {

class Plan;
struct PlanContext;

/// Who writes an output. The columns of a log come in this order, those of frames and sequences side by side: libvmaf
/// makes a column at its first score, and flushes the metrics that it calls temporal first (spec/system.md 1.6).
enum class OutputPhase {
  kFrame,       // Extractor::Finish
  kSequence,    // the Sequence, from the first frame on
  kEarlyFlush,  // the Sequence; libvmaf writes it at the end
  kFlush,       // the same, after all kEarlyFlush
};

/// A named per-frame output of a metric (a feature).
struct OutputSpec {
  std::string_view name;   // as stored: "VMAF_integer_feature_adm2_score"
  std::string_view alias;  // as logs show it: "integer_adm2"; empty: the name
  OutputPhase phase = OutputPhase::kFrame;
  bool (*enabled)(const OptionValues&, const PictureFormat&) = nullptr;  // null: always written
};

/// Rows [begin, end) of a stage.
struct RowBand {
  int begin;
  int end;
};

/// What a metric reads for one frame.
struct FrameInput {
  const Picture* reference = nullptr;
  const Picture* distorted = nullptr;          // null for a metric that is reference_only
  const Picture* earlier_reference = nullptr;  // the reference Lag() frames ago; null for the first Lag() frames
};

/// Memory that a room lays out for itself.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

/// Receives what a Sequence writes.
class ScoreSink {
 public:
  virtual ~ScoreSink() = default;
  virtual void Set(int output, int64_t frame, double value) = 0;  // output: index into Metric::outputs
  virtual void SetAggregate(std::string_view name, double value) = 0;
};

/// A metric's logic over time. Called in frame order, on one thread; shared by every backend.
class Sequence {
 public:
  virtual ~Sequence() = default;
  virtual void Push(int64_t frame, std::span<const int64_t> sums, std::span<const double> values, ScoreSink& sink) = 0;
  virtual void Flush(ScoreSink& sink) = 0;
};

/// One metric with its options, for one picture format. Stateless: all threads share it.
///
/// A frame is a list of stages run one after another; the rows of a stage may be split into bands that run in any
/// order on any thread. Bands add exact integers into `sums`, so no split changes a bit. Finish turns the frame's
/// sums into outputs.
class Extractor {
 public:
  virtual ~Extractor() = default;

  /// How many frames back earlier_reference is; 0: not needed.
  virtual int Lag() const { return 0; }
  virtual int SumCount() const = 0;
  virtual int StageCount() const { return 1; }
  virtual int StageRows(int stage) const = 0;

  /// Planes handed from stage to stage; one per frame in flight, reused. May be null.
  virtual std::unique_ptr<Workspace> MakeFrameWorkspace() const { return nullptr; }
  /// Row buffers of one thread, reused. May be null.
  virtual std::unique_ptr<Workspace> MakeThreadWorkspace() const { return nullptr; }

  /// Runs rows `band` of `stage` and adds to `sums` (SumCount() values, zero before the frame's first band). Not
  /// called for a frame whose earlier_reference is missing: its sums stay zero.
  virtual void RunBand(const FrameInput& input, int stage, RowBand band, Workspace* frame, Workspace* thread,
                       std::span<int64_t> sums) const = 0;

  /// Sums of a whole frame -> values, one per Metric::outputs; those disabled or written by the Sequence are left
  /// alone.
  virtual void Finish(std::span<const int64_t> sums, std::span<double> values) const = 0;

  /// Null for a metric without logic over time.
  virtual std::unique_ptr<Sequence> MakeSequence() const { return nullptr; }
};

struct Metric {
  std::string_view name;  // "adm", as in --feature adm
  std::string_view summary;
  std::span<const OptionSpec> options;
  std::span<const OutputSpec> outputs;
  bool every_frame = false;     // runs also on the frames that subsampling leaves out, in order
  bool reference_only = false;  // reads the reference alone: one run serves all distorted videos
  bool (*needs_chroma)(const OptionValues&) = nullptr;  // null: luma alone
  /// Fails when the picture is too small or too deep for the metric, or a combination of options is refused.
  Result<std::unique_ptr<Extractor>> (*make)(const OptionValues&, const PictureFormat&) = nullptr;
  /// The same work for a device, with the same sums (src/exec/plan.h); null: the metric runs on the CPU alone.
  Result<Plan> (*make_plan)(const OptionValues&, const PlanContext&) = nullptr;
};

/// Key of an output: what the score table stores and what logs show (spec/core.md 0.3).
struct OutputKey {
  std::string stored;
  std::string shown;
};
OutputKey MakeOutputKey(const OutputSpec& output, const OptionValues& options);

}  // namespace acutance
