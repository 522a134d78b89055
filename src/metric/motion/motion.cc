#include "metric/motion/motion.h"

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/partial_sums.h"
#include "metric/blocks/reference_of.h"
#include "metric/joined_options.h"
#include "metric/motion/motion_args.h"

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
          .fps_weight = options.Double("motion_fps_weight"),
          .blend = {.factor = options.Double("motion_blend_factor"),
                    .offset = options.Double("motion_blend_offset"),
                    .max_value = options.Double("motion_max_val"),
                    .lag = options.Bool("motion_five_frame_window") ? 2 : 1,
                    .moving_average = options.Bool("motion_moving_average")},
          .debug = options.Bool("debug")};
}

class MotionExtractor : public Extractor, public JoinedOptions {
 public:
  MotionExtractor(const MotionSettings& settings, const PictureFormat& format)
      : Extractor({.stages = Stages(settings, format), .sums = 1}), settings_(settings), format_(format) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return settings_.force_zero ? nullptr : std::make_unique<MotionRows>();
  }

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    if (!frame.at(0, settings_.blend.lag)) return;
    results.sums[0] += MotionSad(frame.plane(0, 0, settings_.blend.lag), frame.plane(0), format_.bit_depth, band,
                                 static_cast<MotionRows&>(*workspaces.thread));
  }

  /// The sum of a frame depends on the lag alone.
  bool CanJoin(const Extractor& other) const override {
    const MotionSettings& theirs = static_cast<const MotionExtractor&>(other).settings_;
    return !settings_.force_zero && !theirs.force_zero && settings_.blend.lag == theirs.blend.lag;
  }

  void RunJoined(std::span<const Extractor* const>, std::span<const FrameView> frames, int stage, RowBand band,
                 std::span<const Workspaces> workspaces, std::span<const BandResults> results) const override {
    int64_t sum = 0;
    RunBand(frames[0], stage, band, workspaces[0], {.sums = {&sum, 1}, .words = {}, .artifacts = {}});
    for (const BandResults& result : results) result.sums[0] += sum;
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const int64_t sum = settings_.force_zero || totals.history < settings_.blend.lag ? 0 : totals.sums[0];
    const double pixels = static_cast<double>(static_cast<int64_t>(format_.width) * format_.height);
    const double mean = static_cast<double>(sum) / 256.0 / pixels;
    outputs.values[kSad] = settings_.blend.Limit(mean * settings_.fps_weight);
    if (settings_.debug) outputs.values[kMotion] = outputs.values[kSad];
    return {};
  }

  std::unique_ptr<Sequence> MakeSequence() const override {
    const auto value = [](const FrameOutputs& outputs) { return outputs.values[kSad]; };
    return std::make_unique<MotionSequence>(settings_.blend, value, kMotion2, kMotion3);
  }

 private:
  static std::vector<StageSpec> Stages(const MotionSettings& settings, const PictureFormat& format) {
    if (settings.force_zero) return {};
    return {{format.height}};
  }

  const MotionSettings settings_;
  const PictureFormat format_;
};

/// Before libvmaf 3.2 the extractor `motion` blurred each frame before it subtracted; motion_v2 was this one.
constexpr std::string_view kOtherNames[] = {"motion_v2"};

std::vector<InputSpec> Inputs(const MotionSettings& settings) {
  if (settings.force_zero) return {};
  return {{.video = Video::kReference, .history = settings.blend.lag}};
}

// --- On devices.

constexpr int kMargin = 2;  // columns at both ends of a workgroup that are filtered for their neighbours only

constexpr TuningEntry kTuning[] = {
    {"motion_sad", "", "64x4r4"},
    {"motion_sad", "", "64x4r8", WorkloadClass::kMedium},
    {"motion_sad", "", "128x2r8", WorkloadClass::kLarge},
    {"motion_sad", "sm_", "128x1r16"},
    {"motion_sad", "nvidia", "128x1r16"},
};

Result<Plan> MakePlan(const MotionSettings& settings, const PlanContext& context) {
  Plan plan(context, context.frames, 1);
  PartialSums sums(1);
  std::vector<PartialSumLaunch<MotionSadArgs>> launches;
  if (!settings.force_zero) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "motion_sad", context));
    const PlaneView current = context.Input(Video::kReference);
    const Grid grid = {CeilDiv(current.width, kernel->group_x - 2 * kMargin),
                       CeilDiv(current.height, kernel->group_y * kernel->rows), context.frames};
    const MotionSadArgs args = {.earlier = context.Input(Video::kReference, 0, settings.blend.lag).data,
                                .current = current.data,
                                .partials = 0,
                                .plane = PlaneArgsOf(current),
                                .bit_depth = context.format.bit_depth,
                                .partials_per_frame = 0,
                                .first_partial = sums.Reserve(0, grid),
                                .padding = 0};
    launches.push_back({kernel, grid, args, "mirror 2"});
  }
  ACU_RETURN_IF_ERROR(AddPartialSums(plan, sums, std::move(launches)));
  return plan;
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
    .make = MakeBy<MotionExtractor, MotionSettings>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
