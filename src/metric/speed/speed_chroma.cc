// speed_chroma: how far the entropies of the chroma planes differ (docs/spec/siblings.md 2).
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
    {"speed_max_val", "mxv", "upper limit of the scores", 1000.0, 0, 1000, true},
    {"speed_weight_var_mode", "wvm", "which variances weigh the entropies: 0 (each its own) to 6", 0, 0, 6, true},
};

enum Output { kU, kV, kUV, kOutputCount };

const OutputSpec kOutputs[kOutputCount] = {
    {.name = "Speed_chroma_feature_speed_chroma_u_score",
     .alias = "speed_chroma_u",
     .better = ScoreDirection::kLower,
     .damage = {Damage::kColor}},
    {.name = "Speed_chroma_feature_speed_chroma_v_score",
     .alias = "speed_chroma_v",
     .better = ScoreDirection::kLower,
     .damage = {Damage::kColor}},
    {.name = "Speed_chroma_feature_speed_chroma_uv_score",
     .alias = "speed_chroma_uv",
     .better = ScoreDirection::kLower,
     .damage = {Damage::kColor}},
};

struct Settings {
  SpeedSettings common;
  int weight_mode;
  double max_value;
};

Result<Settings> ReadSettings(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const SpeedSettings common, ReadSpeedSettings(options));
  return Settings{common, options.Int("speed_weight_var_mode"), options.Double("speed_max_val")};
}

float Combine(const SpeedScore& u, const SpeedScore& v) {
  if (u.is_singular != v.is_singular) return u.is_singular ? v.value : u.value;
  return (u.value + v.value) / 2;
}

class SpeedChromaExtractor : public SpeedExtractor {
 public:
  SpeedChromaExtractor(const Settings& settings, SpeedLayout layout)
      : SpeedExtractor(settings.common, std::move(layout), /*pairs=*/2),
        weight_mode_(settings.weight_mode),
        max_value_(settings.max_value) {}

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const SpeedScore u = Score(totals.words, 0, weight_mode_), v = Score(totals.words, 1, weight_mode_);
    outputs.values[kU] = Limit(u.value);
    outputs.values[kV] = Limit(v.value);
    outputs.values[kUV] = Limit(Combine(u, v));
    return {};
  }

 private:
  std::vector<SpeedSource> Sources(const FrameView& frame) const override {
    return {{&frame.plane(0, 1)}, {&frame.plane(1, 1)}, {&frame.plane(0, 2)}, {&frame.plane(1, 2)}};
  }

  double Limit(double value) const { return value < max_value_ ? value : max_value_; }

  const int weight_mode_;
  const double max_value_;
};

Result<SpeedLayout> MakeLayout(const SpeedSettings& settings, const PictureFormat& format) {
  if (format.pixel_format == PixelFormat::k400)
    return Error(StatusCode::kInvalidArgument, "speed_chroma needs chroma planes, pictures in 400 have none");
  return MakeSpeedLayout("speed_chroma", settings, format.PlaneWidth(1), format.PlaneHeight(1), format.bit_depth);
}

Result<std::unique_ptr<Extractor>> Make(const Settings& settings, const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(SpeedLayout layout, MakeLayout(settings.common, format));
  return std::make_unique<SpeedChromaExtractor>(settings, std::move(layout));
}

Result<Plan> MakePlan(const Settings& settings, const PlanContext& context) {
  constexpr SpeedDeviceSource kSources[] = {
      {Video::kReference, 1}, {Video::kDistorted, 1}, {Video::kReference, 2}, {Video::kDistorted, 2}};
  ACU_ASSIGN_OR_RETURN(const SpeedLayout layout, MakeLayout(settings.common, context.format));
  return MakeSpeedPlan(settings.common, layout, context, kSources);
}

std::vector<InputSpec> Inputs(const Setup&) {
  constexpr unsigned kChroma = kAllPlanes & ~kLuma;
  return {{.video = Video::kReference, .planes = kChroma}, {.video = Video::kDistorted, .planes = kChroma}};
}

}  // namespace

const Metric kSpeedChromaMetric = {
    .name = "speed_chroma",
    .summary = "difference of the weighted entropies of small chroma pictures (SpEED)",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSettings>,
    .inputs = Inputs,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
