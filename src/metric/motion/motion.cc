#include "metric/motion/motion.h"

#include <algorithm>

#include "exec/plan.h"

namespace acutance {
namespace {

const OptionSpec kOptions[] = {
    {"motion_force_zero", "force_0", "write 0 for every frame, without looking at the pictures", false, 0, 1, true},
    {"motion_blend_factor", "mbf", "weight of motion2 in motion3; the rest goes to min(motion2, blend offset)", 1.0, 0,
     1, true},
    {"motion_blend_offset", "mbo", "above this value motion3 follows motion2 by the blend factor only", 40.0, 0, 1000,
     true},
    {"motion_fps_weight", "mfw", "factor on the per-frame value, to make up for the frame rate", 1.0, 0, 5, true},
    {"motion_max_val", "mmxv", "upper limit of all values", 10000.0, 0, 10000, true},
    {"motion_five_frame_window", "mffw", "compare with the frame before the previous one", false, 0, 1, true},
    {"motion_moving_average", "mma", "average motion3 with that of the previous frame", false, 0, 1, true},
    {"debug", "", "also write integer_motion, equal to the per-frame value", false, 0, 1, false},
};

enum Output { kSad, kMotion, kMotion2, kMotion3, kOutputCount };

const OutputSpec kOutputs[kOutputCount] = {
    {.name = "VMAF_integer_feature_motion_sad_score", .better = ScoreDirection::kNeither},
    {.name = "VMAF_integer_feature_motion_score",
     .alias = "integer_motion",
     .enabled = [](const OptionValues& options, const PictureFormat&) { return options.Bool("debug"); },
     .better = ScoreDirection::kNeither},
    {.name = "VMAF_integer_feature_motion2_score",
     .alias = "integer_motion2",
     .phase = OutputPhase::kFlush,
     .better = ScoreDirection::kNeither},
    {.name = "VMAF_integer_feature_motion3_score",
     .alias = "integer_motion3",
     .phase = OutputPhase::kFlush,
     .better = ScoreDirection::kNeither},
};

MotionSettings ReadSettings(const OptionValues& options) {
  return {.force_zero = options.Bool("motion_force_zero"),
          .blend_factor = options.Double("motion_blend_factor"),
          .blend_offset = options.Double("motion_blend_offset"),
          .fps_weight = options.Double("motion_fps_weight"),
          .max_value = options.Double("motion_max_val"),
          .lag = options.Bool("motion_five_frame_window") ? 2 : 1,
          .moving_average = options.Bool("motion_moving_average"),
          .debug = options.Bool("debug")};
}

/// motion2 and motion3 of the per-frame values (docs/spec/core.md 3.4), each as soon as the
/// frames seen determine it: frame i looks ahead to i + 1, and the first `lag` frames take
/// motion3 from the first value there is.
class MotionSequence : public Sequence {
 public:
  explicit MotionSequence(const MotionSettings& settings) : settings_(settings) {}

  void Push(int64_t frame, const FrameOutputs& outputs, ScoreSink& sink) override {
    const double sad = outputs.values[kSad];
    if (frame < settings_.lag) sink.Set(kMotion2, frame, 0.0);
    if (frame == settings_.lag) SetFirstFrames(Blend(sad), sink);
    if (frame > settings_.lag) Settle(frame - 1, std::min(LookBack(frame, sad), sad), sink);
    recent_[frame % 2] = sad;
    frames_ = frame + 1;
  }

  void Flush(ScoreSink& sink) override {
    if (frames_ > settings_.lag) Settle(frames_ - 1, recent_[(frames_ - 1) % 2], sink);
    else SetFirstFrames(0.0, sink);
  }

 private:
  double Blend(double value) const {
    const double factor = settings_.blend_factor;
    return std::min(value * factor + (1 - factor) * std::min(settings_.blend_offset, value), settings_.max_value);
  }

  /// The value `lag` frames before `frame`; `sad` where that frame had no predecessor to be compared with.
  double LookBack(int64_t frame, double sad) const {
    return frame - settings_.lag >= settings_.lag ? recent_[(frame - settings_.lag) % 2] : sad;
  }

  void SetFirstFrames(double value, ScoreSink& sink) {
    for (int64_t i = 0; i < std::min<int64_t>(settings_.lag, std::max<int64_t>(frames_, 0)); ++i)
      sink.Set(kMotion3, i, value);
    previous_ = value;
  }

  void Settle(int64_t frame, double motion2, ScoreSink& sink) {
    const double motion3 = Blend(motion2);
    sink.Set(kMotion2, frame, motion2);
    sink.Set(kMotion3, frame, settings_.moving_average ? (motion3 + previous_) / 2.0 : motion3);
    previous_ = motion3;  // not the average
  }

  const MotionSettings settings_;
  int64_t frames_ = 0;
  double recent_[2] = {};  // values of the last two frames, by frame % 2
  double previous_ = 0;    // motion3 of the frame before, not averaged
};

class MotionExtractor : public Extractor {
 public:
  MotionExtractor(const MotionSettings& settings, const PictureFormat& format)
      : Extractor({.stages = Stages(settings, format), .sums = 1}), settings_(settings), format_(format) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return settings_.force_zero ? nullptr : std::make_unique<MotionRows>();
  }

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    if (!frame.at(0, settings_.lag)) return;
    results.sums[0] += MotionSad(frame.plane(0, 0, settings_.lag), frame.plane(0), format_.bit_depth, band,
                                 static_cast<MotionRows&>(*workspaces.thread));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const int64_t sum = settings_.force_zero || totals.history < settings_.lag ? 0 : totals.sums[0];
    const double pixels = static_cast<double>(static_cast<int64_t>(format_.width) * format_.height);
    const double mean = static_cast<double>(sum) / 256.0 / pixels;
    outputs.values[kSad] = std::min(mean * settings_.fps_weight, settings_.max_value);
    if (settings_.debug) outputs.values[kMotion] = outputs.values[kSad];
    return {};
  }

  std::unique_ptr<Sequence> MakeSequence() const override { return std::make_unique<MotionSequence>(settings_); }

 private:
  static std::vector<StageSpec> Stages(const MotionSettings& settings, const PictureFormat& format) {
    if (settings.force_zero) return {};
    return {{format.height}};
  }

  const MotionSettings settings_;
  const PictureFormat format_;
};

Result<std::unique_ptr<Extractor>> Make(const MotionSettings& settings, const PictureFormat& format) {
  return std::make_unique<MotionExtractor>(settings, format);
}

/// Before libvmaf 3.2 the extractor `motion` blurred each frame before it subtracted; motion_v2 was this one.
constexpr std::string_view kOtherNames[] = {"motion_v2"};

std::vector<InputSpec> Inputs(const MotionSettings& settings) {
  if (settings.force_zero) return {};
  return {{.video = Video::kReference, .history = settings.lag}};
}

}  // namespace

const Metric kMotionMetric = {
    .name = "motion",
    .other_names = kOtherNames,
    .summary = "mean absolute low-passed difference of consecutive reference frames, 0 to 256",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSettings>,
    .inputs = OfSettings<Inputs>,
    .every_frame = true,
    .smallest = {kMotionMinSide, kMotionMinSide},
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeMotionPlan>,
};

}  // namespace acutance
