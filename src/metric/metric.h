// Contract of a metric: its declarations and its Extractor. A metric folder (src/metric/<name>/) defines one Metric.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/damage.h"
#include "base/score_direction.h"
#include "base/status.h"
#include "image/lazy_picture.h"
#include "image/picture.h"
#include "metric/derived_input.h"
#include "metric/options.h"

namespace acutance {

class Plan;
class PlanContext;

/// What writes an output. The columns of a log come in this order, those of frames and sequences
/// mixed: libvmaf makes a column at its first score, and flushes the metrics that it calls temporal
/// first (docs/spec/system.md 1.6).
enum class OutputPhase {
  kFrame,       // Extractor::Finish
  kSequence,    // the Sequence, from the first frame on
  kEarlyFlush,  // the Sequence; libvmaf's first score comes with the second frame, or at the end of a single one
  kFlush,       // the same, after all kEarlyFlush
};

/// The part of an output's loss that is damage of another kind: `weight` of the options times another output.
struct DamagePart {
  Damage kind;
  std::string_view output;  // OutputSpec::name, of the same metric
  double (*weight)(const OptionValues&);
};

/// Which damage an output measures. Reports divide the points that a model lost by it.
struct DamageSpec {
  std::optional<Damage> kind{};           // nullopt: none, or no single kind
  double ideal = 0;                       // the output's value for an encode without loss
  std::optional<double> annoying_from{};  // the value from which on viewers object to the damage
  std::optional<DamagePart> part{};
};

/// A named per-frame output of a metric (a feature).
struct OutputSpec {
  std::string_view name;   // as stored: "VMAF_integer_feature_adm2_score"
  std::string_view alias;  // as logs show it: "integer_adm2"; empty: the name
  OutputPhase phase = OutputPhase::kFrame;
  bool (*enabled)(const OptionValues&, const PictureFormat&) = nullptr;  // null: always written
  bool plain_key = false;                                                // its key is its name, regardless of options
  OutputPhase (*phase_with)(const OptionValues&) = nullptr;  // null: `phase`; else kFrame exactly where `phase` is
  ScoreDirection better = ScoreDirection::kHigher;           // poolings, worst frames and comparisons follow it
  /// How well it says what viewers think of a frame, 0 to 100: without a model the highest one ranks a run's frames.
  int rank = 0;
  DamageSpec damage{};
  bool is_model = false;    // the metric, taken as a model, is this output; otherwise the one of the highest rank
  std::string_view clip{};  // the aggregate of the whole clip that stands for the mean over frames; empty: none
  std::string_view unit{};  // "dB"; empty: none
  std::string_view (*unit_with)(const OptionValues&) = nullptr;  // null: `unit`
};

inline constexpr unsigned kLuma = 1, kAllPlanes = 7;  // masks: bit p is plane p

/// Pictures of one video that a metric reads.
struct InputSpec {
  Video video = Video::kReference;
  unsigned planes = kLuma;                        // those that the format lacks are left out
  int history = 0;                                // how many frames back it reads, next to the frame's own picture
  std::shared_ptr<const DerivedInput> derived{};  // null: the video's own planes
};

/// A step of a frame's work. Its rows may be split into bands that run in any order on any thread.
struct StageSpec {
  int rows = 1;
  bool splittable = true;
};

/// A stage for each element of `range`, of the rows that `rows` gives.
template <class Range, class Rows>
std::vector<StageSpec> StagesOf(const Range& range, Rows rows) {
  std::vector<StageSpec> stages;
  for (const auto& element : range) stages.push_back({std::invoke(rows, element)});
  return stages;
}

/// A picture that a metric can hand out, such as a heatmap.
struct ArtifactSpec {
  std::string_view name;
  PictureFormat format;
};

/// Declarations of an Extractor.
struct ExtractorSpec {
  std::vector<StageSpec> stages;
  int sums = 0;   // exact integers, to which all bands of all stages add
  int words = 0;  // 64-bit partial results that one band writes each, such as the sums of rows of floats
  int kept = 0;   // numbers that Finish hands on for the Sequence and the journal
  std::vector<ArtifactSpec> artifacts{};
};

/// Rows [begin, end) of a stage.
struct RowBand {
  int begin;
  int end;
};

/// An input of a metric in a session.
struct BoundInput {
  InputSpec spec;
  int derived = -1;  // index among the derived pictures of the video; -1: the video's own planes
};

/// A picture of a video, with those derived from it.
struct VideoPicture {
  Picture picture;                             // perhaps lazy
  std::shared_ptr<DerivedPictures> derived{};  // null: the session derives none

  /// The picture as it is, or as it was computed (LazyPicture::Materialize).
  const Picture& made() const { return picture.lazy ? picture.lazy->result() : picture; }
};

/// What a metric reads for one frame.
class FrameView {
 public:
  /// Pictures [back] of both videos, where there are any: [0] is the frame's own.
  FrameView(std::span<const BoundInput> inputs, std::span<const VideoPicture* const> reference,
            std::span<const VideoPicture* const> distorted)
      : inputs_(inputs), reference_(reference), distorted_(distorted) {}

  /// The picture of input `input` (Metric::inputs) `back` frames ago; null before the clip begins.
  const Picture* at(int input, int back = 0) const;
  /// Plane `plane` of it. The picture must not be null.
  const Plane& plane(int input, int plane = 0, int back = 0) const { return at(input, back)->planes[plane]; }

  /// Makes the pictures that at() hands out where they are missing: lazy ones and derived ones.
  Status Prepare() const;

 private:
  std::span<const VideoPicture* const> of(Video video) const {
    return video == Video::kReference ? reference_ : distorted_;
  }

  std::span<const BoundInput> inputs_;
  std::span<const VideoPicture*const> reference_, distorted_;
};

/// Memory that a metric lays out for itself.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

struct Workspaces {
  Workspace* frame;   // from Extractor::MakeFrameWorkspace
  Workspace* thread;  // from Extractor::MakeThreadWorkspace
};

/// Where a band's results go.
struct BandResults {
  std::span<int64_t> sums;                    // this band's own, to be added to; zero before
  std::span<int64_t> words;                   // the frame's: a band writes those of its rows
  std::span<const MutablePicture> artifacts;  // the frame's, likewise; empty unless asked for
};

/// Results of the bands of a whole frame, or of a device.
struct FrameTotals {
  int64_t frame = 0;
  int history = 0;  // how many frames before it were there: fewer than the metric reads at the clip's start
  std::span<const int64_t> sums, words;
};

/// Outputs of Finish.
struct FrameOutputs {
  std::span<double> values;  // one per Metric::outputs; disabled ones and those of the Sequence are left alone
  std::span<int64_t> kept;   // ExtractorSpec::kept
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
  virtual void Push(int64_t frame, const FrameOutputs& outputs, ScoreSink& sink) = 0;
  virtual void Flush(ScoreSink& sink) = 0;
};

/// A metric's options as it has read them, and what they name, such as files: read once, so that its inputs, its
/// extractor and its plan agree.
class Setup {
 public:
  virtual ~Setup() = default;
};

/// The Setup of a metric that reads its options into `Settings`.
template <class Settings>
struct SetupOf : Setup {
  explicit SetupOf(Settings read) : settings(std::move(read)) {}
  const Settings settings;
};

template <class Settings>
Result<std::shared_ptr<const Setup>> MakeSetup(Result<Settings> settings) {
  if (!settings.ok()) return settings.status();
  return std::make_unique<SetupOf<Settings>>(*std::move(settings));
}

/// Metric::prepare by `read`, which returns Settings or a Result of them. The metric's other functions are then of
/// these Settings (OfSettings).
template <auto read>
Result<std::shared_ptr<const Setup>> PrepareBy(const OptionValues& options) {
  if constexpr (requires { read(options).status(); }) return MakeSetup(read(options));
  else return MakeSetup(Result<decltype(read(options))>(read(options)));
}

template <auto function>
struct SettingsFunction;
template <class Value, class Settings, class... Args, Value (*function)(const Settings&, Args...)>
struct SettingsFunction<function> {
  static Value Call(const Setup& setup, Args... args) {
    return function(static_cast<const SetupOf<Settings>&>(setup).settings, args...);
  }
};

/// Metric::inputs, make, make_plan or stays_on_cpu by a function of the Settings that PrepareBy has read.
template <auto function>
constexpr auto OfSettings = &SettingsFunction<function>::Call;

/// One metric with its options, for one picture format. Stateless: all threads share it.
///
/// A frame is a list of stages run one after another. Bands add exact integers, or write partial
/// results that Finish adds up in a fixed order, so no split of a stage changes a bit.
class Extractor {
 public:
  explicit Extractor(ExtractorSpec spec) : spec_(std::move(spec)) {}
  virtual ~Extractor() = default;
  const ExtractorSpec& spec() const { return spec_; }

  /// Planes handed from stage to stage; one per frame in flight, reused. May be null.
  virtual std::unique_ptr<Workspace> MakeFrameWorkspace() const { return nullptr; }
  /// Row buffers of one thread, reused. May be null.
  virtual std::unique_ptr<Workspace> MakeThreadWorkspace() const { return nullptr; }

  /// Runs rows `band` of `stage`. A metric that reads earlier pictures decides what to do where
  /// there are none yet: FrameView::at is null.
  virtual void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
                       const BandResults& results) const = 0;

  /// The same for several distorted videos of one reference: element i of each list is video i's, but
  /// all share the thread's workspace. A metric overrides it to do once what depends on the reference
  /// alone.
  virtual void RunBands(std::span<const FrameView> frames, int stage, RowBand band,
                        std::span<const Workspaces> workspaces, std::span<const BandResults> results) const;

  /// A frame's totals, those of a device too -> its outputs. Runs on any thread.
  virtual Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const = 0;

  /// Null for a metric without logic over time.
  virtual std::unique_ptr<Sequence> MakeSequence() const { return nullptr; }

 private:
  const ExtractorSpec spec_;
};

/// An Extractor that has an option to write its artifacts to files.
class RawDumpOption {
 public:
  virtual ~RawDumpOption() = default;

  /// The file of an artifact (index into ExtractorSpec::artifacts): samples without header, the picture of frame f at f
  /// times its bytes. Empty: none.
  virtual std::string FileOf(int artifact) const = 0;
};

/// Metric::make of an Extractor that is constructed from the format, or from the Settings that PrepareBy has read and
/// the format.
template <class Derived>
Result<std::unique_ptr<Extractor>> MakeBy(const Setup&, const PictureFormat& format) {
  return std::make_unique<Derived>(format);
}
template <class Derived, class Settings>
Result<std::unique_ptr<Extractor>> MakeBy(const Setup& setup, const PictureFormat& format) {
  return std::make_unique<Derived>(static_cast<const SetupOf<Settings>&>(setup).settings, format);
}

/// A size in luma samples.
struct PictureSize {
  int width = 1;
  int height = 1;
};

/// Where a frame's map comes from: for each square, a value that says how much is lost there (engine/frame_maps.h).
enum class MapSource {
  kNone,
  kBlockSums,      // the extractor is a BlockSums (metric/block_sums.h)
  kPartScores,     // scores of parts of the pictures, squares with MapSpec::margin around them
  kFirstArtifact,  // means over squares of the first artifact
};

struct MapSpec {
  MapSource source = MapSource::kNone;
  int margin = 0;                                 // luma samples
  double (*loss)(double first_output) = nullptr;  // of a part; not null for kPartScores
};

/// With `option` set to `value` the metric's first output says how much of this damage the distorted picture shows, by
/// itself.
struct DetectorSpec {
  std::optional<Damage> kind{};  // nullopt: the metric detects none
  std::string_view option{}, value{};
};

/// What a run knows of HDR videos.
struct HdrFacts {
  bool is_pq = true;                       // HLG otherwise
  std::optional<double> mastering_peak{};  // of the display that the reference was mastered on, in cd/m2
};

/// How a metric scores HDR videos where a user asks for nothing.
struct HdrDefaults {
  OptionTexts options{};
  std::string note{};  // a human-readable reason for the options; empty: none
};

struct Metric {
  std::string_view name;                            // "adm", as in --feature adm
  std::span<const std::string_view> other_names{};  // that people may know it by; logs and models never show them
  std::string_view summary;
  std::span<const OptionSpec> options;
  std::span<const OutputSpec> outputs;
  MapSpec map{};
  DetectorSpec detects{};
  /// Reads the options. Fails where a value or a combination is refused, or a file that they name. Null: the metric
  /// reads none, and its Setup is empty.
  Result<std::shared_ptr<const Setup>> (*prepare)(const OptionValues&) = nullptr;
  /// Null: luma of both videos, input 0 the reference and input 1 the distorted one. A metric that
  /// reads the reference alone runs once for all distorted videos.
  std::vector<InputSpec> (*inputs)(const Setup&) = nullptr;
  bool every_frame = false;  // runs also on the frames that subsampling leaves out, in order
  PictureSize smallest{};    // options may ask for more
  /// It also reads the last column and row of chroma of odd pictures (Plane::Whole), which devices do not have.
  bool reads_all_chroma = false;
  /// It also reads pictures of floats (kFloatDepth): red, green and blue. Devices have none.
  bool reads_floats = false;
  /// An option of text that nothing may guess: where it is left at its default, and the video declares none, sessions
  /// refuse the metric. Empty: none.
  std::string_view must_be_declared{};
  /// Not null: scores of HDR videos have it by default.
  HdrDefaults (*for_hdr)(const HdrFacts&) = nullptr;
  /// Fails when the picture is too deep or small for the options.
  Result<std::unique_ptr<Extractor>> (*make)(const Setup&, const PictureFormat&) = nullptr;
  /// The same work for a device, with the same results (exec/plan.h); null: the CPU alone runs it.
  Result<Plan> (*make_plan)(const Setup&, const PlanContext&) = nullptr;
  /// Whether the plan cannot do what the options ask for; null: it can.
  bool (*stays_on_cpu)(const Setup&) = nullptr;
};

/// Metric::prepare, or an empty Setup.
Result<std::shared_ptr<const Setup>> Prepare(const Metric& metric, const OptionValues& options);

/// Metric::inputs, or luma of both videos. Of options that the metric refuses: its inputs by default.
std::vector<InputSpec> InputsOf(const Metric& metric, const Setup& setup);
std::vector<InputSpec> InputsOf(const Metric& metric, const OptionValues& options);

/// Whether any of them is of `video`.
bool Reads(std::span<const InputSpec> inputs, Video video);

/// Checks the format and the metric's smallest size, then makes the extractor.
Result<std::unique_ptr<Extractor>> MakeExtractor(const Metric& metric, const Setup& setup, const PictureFormat& format);
Result<std::unique_ptr<Extractor>> MakeExtractor(const Metric& metric, const OptionValues& options,
                                                 const PictureFormat& format);

/// Key of an output: what the score table stores and what logs show (docs/spec/core.md 0.3).
struct OutputKey {
  std::string stored;
  std::string shown;
};
OutputKey MakeOutputKey(const OutputSpec& output, const OptionValues& options);

}  // namespace acutance
