#include "metric/float_motion/float_motion.h"

#include <algorithm>
#include <utility>

#include "exec/plan.h"
#include "metric/blocks/words.h"

namespace acutance {
namespace {

const OptionSpec kOptions[] = {
    {"debug", "", "also write motion, the value of the frame alone", true, 0, 1, false},
    {"motion_force_zero", "force_0", "write 0 for every frame, without looking at the pictures", false, 0, 1, true},
    {"motion_fps_weight", "mfw", "factor on the per-frame value, to make up for the frame rate", 1.0, 0, 5, true},
    {"motion_blend_factor", "mbf", "weight of motion2 in motion3; the rest goes to min(motion2, blend offset)", 1.0, 0,
     1, true},
    {"motion_blend_offset", "mbo", "above this value motion3 follows motion2 by the blend factor only", 40.0, 0, 1000,
     true},
    {"motion_add_scale1", "mdc", "add the difference of the blurred pictures at half size", false, 0, 1, true},
    {"motion_filter_size", "mfs", "taps of the blur: 1 (none), 3, or 5 for any other number", 5, 0, 9, true},
    {"motion_add_uv", "mau", "add the differences of the chroma planes", false, 0, 1, true},
    {"motion_max_val", "mmxv", "upper limit of all values", 10000.0, 0, 10000, true},
};

enum Output { kMotion2, kMotion3, kMotion, kOutputCount };

/// libvmaf writes the zeros of motion_force_zero frame by frame.
OutputPhase Motion3Phase(const OptionValues& options) {
  return options.Bool("motion_force_zero") ? OutputPhase::kSequence : OutputPhase::kEarlyFlush;
}

const OutputSpec kOutputs[kOutputCount] = {
    {.name = "VMAF_feature_motion2_score",
     .alias = "motion2",
     .phase = OutputPhase::kSequence,
     .better = ScoreDirection::kNeither},
    {.name = "VMAF_feature_motion3_score",
     .alias = "motion3",
     .phase = OutputPhase::kEarlyFlush,
     .phase_with = Motion3Phase,
     .better = ScoreDirection::kNeither},
    {.name = "VMAF_feature_motion_score",
     .alias = "motion",
     .enabled = [](const OptionValues& options, const PictureFormat&) { return options.Bool("debug"); },
     .better = ScoreDirection::kNeither},
};

FloatMotionSettings ReadSettings(const OptionValues& options) {
  return {.force_zero = options.Bool("motion_force_zero"),
          .add_scale1 = options.Bool("motion_add_scale1"),
          .add_uv = options.Bool("motion_add_uv"),
          .taps = MakeFloatMotionTaps(options.Int("motion_filter_size")),
          .fps_weight = options.Double("motion_fps_weight"),
          .blend_factor = options.Double("motion_blend_factor"),
          .blend_offset = options.Double("motion_blend_offset"),
          .max_value = options.Double("motion_max_val"),
          .debug = options.Bool("debug")};
}

struct Scoring : FloatMotionSettings {
  std::vector<FloatMotionPart> parts;

  /// The frame's value before the limit, from the sums of rows. A plane's means are added as floats,
  /// planes as doubles.
  double Score(std::span<const int64_t> rows) const {
    double score = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      float mean = TakeMean(parts[i], rows);
      if (i + 1 < parts.size() && parts[i + 1].half) mean += TakeMean(parts[++i], rows);
      score += static_cast<double>(mean);
    }
    return score * fps_weight;
  }

  double Limit(double value) const { return std::min(value, max_value); }

  double Blend(double value) const {
    return Limit(value * blend_factor + (1 - blend_factor) * std::min(blend_offset, value));
  }

 private:
  /// The rows of a part are added in their order.
  static float TakeMean(const FloatMotionPart& part, std::span<const int64_t>& rows) {
    float sum = 0;
    for (const int64_t row : rows.first(part.height)) sum += FloatFromWord(row);
    rows = rows.subspan(part.height);
    return sum / static_cast<float>(part.width * part.height);
  }
};

/// motion2 and motion3, each as soon as the frames seen determine it: frame i looks ahead to i + 1, and frame 0 takes
/// motion3 from frame 1.
class FloatMotionSequence : public Sequence {
 public:
  explicit FloatMotionSequence(const Scoring& settings) : settings_(settings) {}

  void Push(int64_t frame, const FrameOutputs& outputs, ScoreSink& sink) override {
    const double value = DoubleFromWord(outputs.kept[0]);
    if (frame == 0) sink.Set(kMotion2, 0, 0.0);
    if (frame == 1) sink.Set(kMotion3, 0, settings_.Blend(value));
    if (frame > 1) Settle(frame - 1, std::min(previous_, value), sink);
    previous_ = value;
    frames_ = frame + 1;
  }

  void Flush(ScoreSink& sink) override {
    if (frames_ == 1) sink.Set(kMotion3, 0, 0.0);
    if (frames_ > 1) Settle(frames_ - 1, previous_, sink);
  }

 private:
  void Settle(int64_t frame, double value, ScoreSink& sink) {
    sink.Set(kMotion2, frame, settings_.Limit(value));
    sink.Set(kMotion3, frame, settings_.Blend(value));
  }

  const Scoring settings_;
  int64_t frames_ = 0;
  double previous_ = 0;  // weighted, not limited
};

/// A stage and a word for each row of each part: running sums of floats, which Finish adds up.
class FloatMotionExtractor : public Extractor {
 public:
  FloatMotionExtractor(Scoring settings, const PictureFormat& format)
      : Extractor({.stages = Stages(settings.parts), .words = FloatMotionRows(settings.parts), .kept = 1}),
        settings_(std::move(settings)),
        bit_depth_(format.bit_depth) {
    int first = 0;
    for (const FloatMotionPart& part : settings_.parts) {
      first_words_.push_back(std::exchange(first, first + part.height));
      half_tables_.push_back(part.half ? MakeHalfTables(format.PlaneWidth(part.plane), format.PlaneHeight(part.plane))
                                       : HalfTables{});
    }
  }

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return settings_.parts.empty() ? nullptr : std::make_unique<FloatMotionTile>();
  }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    if (!frame.at(0, 1)) return;
    const FloatMotionPart& part = settings_.parts[stage];
    FloatMotionRowSums({.earlier = frame.plane(0, part.plane, 1),
                        .current = frame.plane(0, part.plane),
                        .bit_depth = bit_depth_,
                        .taps = settings_.taps,
                        .half = part.half ? &half_tables_[stage] : nullptr},
                       band, static_cast<FloatMotionTile&>(*workspaces.thread),
                       results.words.subspan(first_words_[stage], part.height).data());
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const double value = totals.history > 0 ? settings_.Score(totals.words) : 0.0;
    outputs.kept[0] = WordFromDouble(value);
    if (settings_.debug) outputs.values[kMotion] = settings_.Limit(value);
    return {};
  }

  std::unique_ptr<Sequence> MakeSequence() const override { return std::make_unique<FloatMotionSequence>(settings_); }

 private:
  static std::vector<StageSpec> Stages(const std::vector<FloatMotionPart>& parts) {
    std::vector<StageSpec> stages;
    stages.reserve(parts.size());
    for (const FloatMotionPart& part : parts) stages.push_back({part.height});
    return stages;
  }

  const Scoring settings_;
  const int bit_depth_;
  std::vector<int> first_words_;         // [part]
  std::vector<HalfTables> half_tables_;  // [part]; of those that are halved
};

Status CheckChroma(const PictureFormat& format) {
  if (format.pixel_format == PixelFormat::k400)
    return Error(StatusCode::kInvalidArgument,
                 "motion_add_uv=true needs chroma planes, pictures in 400 have none: set motion_add_uv=false");
  if (format.PlaneWidth(1) < kFloatMotionMinSide || format.PlaneHeight(1) < kFloatMotionMinSide)
    return Error(StatusCode::kInvalidArgument,
                 "motion_add_uv=true needs chroma planes of at least {0}x{0}, these are {1}x{2}: set "
                 "motion_add_uv=false",
                 kFloatMotionMinSide, format.PlaneWidth(1), format.PlaneHeight(1));
  return {};
}

Result<std::unique_ptr<Extractor>> Make(const FloatMotionSettings& settings, const PictureFormat& format) {
  if (settings.add_uv) ACU_RETURN_IF_ERROR(CheckChroma(format));
  return std::make_unique<FloatMotionExtractor>(Scoring{settings, FloatMotionParts(settings, format)}, format);
}

std::vector<InputSpec> Inputs(const FloatMotionSettings& settings) {
  if (settings.force_zero) return {};
  const unsigned planes = settings.add_uv ? kAllPlanes : kLuma;
  return {{.video = Video::kReference, .planes = planes, .history = 1}};
}

}  // namespace

const Metric kFloatMotionMetric = {
    .name = "float_motion",
    .summary = "mean absolute difference of consecutive blurred reference frames, in floats",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSettings>,
    .inputs = OfSettings<Inputs>,
    .every_frame = true,
    .smallest = {kFloatMotionMinSide, kFloatMotionMinSide},
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeFloatMotionPlan>,
};

}  // namespace acutance
