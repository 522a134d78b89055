// speed_temporal: how far the entropies of the changes from frame to frame differ (docs/spec/siblings.md 2).
#include <utility>

#include "exec/plan.h"
#include "metric/speed/speed.h"

namespace acutance {
namespace {

const OptionSpec kOptions[] = {
    kSpeedOptions[0],
    kSpeedOptions[1],
    kSpeedOptions[2],
    kSpeedOptions[3],
    kSpeedOptions[4],
    {"speed_max_val", "mxv", "shows in the key alone, as in libvmaf", 1000.0, 0, 1000, true},
    {"speed_use_ref_diff", "urd", "compare the distorted frame before with this frame of the reference", false, 0, 1,
     true},
};

const OutputSpec kOutputs[] = {
    {.name = "Speed_temporal_feature_speed_temporal_score",
     .alias = "speed_temporal",
     .better = ScoreDirection::kLower},
};

struct Settings {
  SpeedSettings common;
  bool use_reference;
};

Result<Settings> ReadSettings(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const SpeedSettings common, ReadSpeedSettings(options));
  return Settings{common, options.Bool("speed_use_ref_diff")};
}

class SpeedTemporalExtractor : public SpeedExtractor {
 public:
  SpeedTemporalExtractor(const Settings& settings, SpeedLayout layout)
      : SpeedExtractor(settings.common, std::move(layout), /*pairs=*/1), use_reference_(settings.use_reference) {}

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    outputs.values[0] = totals.history == 0 ? 0.0 : Score(totals.words, 0, /*weight_mode=*/0).value;
    return {};
  }

 private:
  std::vector<SpeedSource> Sources(const FrameView& frame) const override {
    if (!frame.at(0, 1)) return {};
    const Plane& less = frame.plane(use_reference_ ? 0 : 1);
    return {{&frame.plane(0, 0, 1), &frame.plane(0)}, {&frame.plane(1, 0, 1), &less}};
  }

  const bool use_reference_;
};

Result<SpeedLayout> MakeLayout(const SpeedSettings& settings, const PictureFormat& format) {
  return MakeSpeedLayout("speed_temporal", settings, format.width, format.height, format.bit_depth);
}

Result<std::unique_ptr<Extractor>> Make(const Settings& settings, const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(SpeedLayout layout, MakeLayout(settings.common, format));
  return std::make_unique<SpeedTemporalExtractor>(settings, std::move(layout));
}

Result<Plan> MakePlan(const Settings& settings, const PlanContext& context) {
  const Video less = settings.use_reference ? Video::kReference : Video::kDistorted;
  const SpeedDeviceSource sources[] = {{.video = Video::kReference, .back = 1, .less = Video::kReference},
                                       {.video = Video::kDistorted, .back = 1, .less = less}};
  ACU_ASSIGN_OR_RETURN(const SpeedLayout layout, MakeLayout(settings.common, context.format));
  return MakeSpeedPlan(settings.common, layout, context, sources);
}

std::vector<InputSpec> Inputs(const Setup&) {
  return {{.video = Video::kReference, .history = 1}, {.video = Video::kDistorted, .history = 1}};
}

}  // namespace

const Metric kSpeedTemporalMetric = {
    .name = "speed_temporal",
    .summary = "difference of the weighted entropies of small frame differences (SpEED)",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSettings>,
    .inputs = Inputs,
    .every_frame = true,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
