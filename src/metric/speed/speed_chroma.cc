// speed_chroma: how far the entropies of the chroma planes differ (docs/spec/siblings.md 2).
#include "metric/speed/speed.h"
#include "metric/speed/speed_cpu.h"

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
    {.name = "Speed_chroma_feature_speed_chroma_u_score", .alias = "speed_chroma_u"},
    {.name = "Speed_chroma_feature_speed_chroma_v_score", .alias = "speed_chroma_v"},
    {.name = "Speed_chroma_feature_speed_chroma_uv_score", .alias = "speed_chroma_uv"},
};

float Combine(const SpeedScore& u, const SpeedScore& v) {
  if (u.is_singular != v.is_singular) return u.is_singular ? v.value : u.value;
  return (u.value + v.value) / 2;
}

class SpeedChromaExtractor : public Extractor {
 public:
  SpeedChromaExtractor(const SpeedSettings& settings, const OptionValues& options, SpeedLayout layout)
      : Extractor(MakeSpeedSpec(layout, kPictures)),
        settings_(settings),
        weight_mode_(options.Int("speed_weight_var_mode")),
        max_value_(options.Double("speed_max_val")),
        layout_(std::move(layout)) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    return std::make_unique<SpeedSamples>(layout_, kPictures);
  }

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<SpeedScratch>(layout_); }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    const SpeedSource sources[kPictures] = {
        {&frame.plane(0, 1)}, {&frame.plane(1, 1)}, {&frame.plane(0, 2)}, {&frame.plane(1, 2)}};
    RunSpeedStage({layout_, settings_.sigma_nn, sources}, stage, band, workspaces, results.words);
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const SpeedScore u = Score(totals.words, 0), v = Score(totals.words, 2);
    outputs.values[kU] = Limit(u.value);
    outputs.values[kV] = Limit(v.value);
    outputs.values[kUV] = Limit(Combine(u, v));
    return {};
  }

 private:
  static constexpr int kPictures = 4;  // reference and distorted Cb, then Cr

  SpeedScore Score(std::span<const int64_t> words, int picture) const {
    const size_t count = SpeedWords(layout_);
    return ScoreSpeed(settings_, weight_mode_, words.subspan(picture * count, count),
                      words.subspan((picture + 1) * count, count));
  }

  double Limit(double value) const { return value < max_value_ ? value : max_value_; }

  const SpeedSettings settings_;
  const int weight_mode_;
  const double max_value_;
  const SpeedLayout layout_;
};

Result<std::unique_ptr<Extractor>> Make(const OptionValues& options, const PictureFormat& format) {
  if (format.pixel_format == PixelFormat::k400)
    return Error(StatusCode::kInvalidArgument, "speed_chroma needs chroma planes, pictures in 400 have none");
  ACU_ASSIGN_OR_RETURN(const SpeedSettings settings, ReadSpeedSettings(options));
  ACU_ASSIGN_OR_RETURN(SpeedLayout layout, MakeSpeedLayout("speed_chroma", settings, format.PlaneWidth(1),
                                                           format.PlaneHeight(1), format.bit_depth));
  return std::unique_ptr<Extractor>(std::make_unique<SpeedChromaExtractor>(settings, options, std::move(layout)));
}

std::vector<InputSpec> Inputs(const OptionValues&) {
  constexpr unsigned kChroma = kAllPlanes & ~kLuma;
  return {{.video = Video::kReference, .planes = kChroma}, {.video = Video::kDistorted, .planes = kChroma}};
}

}  // namespace

const Metric kSpeedChromaMetric = {
    .name = "speed_chroma",
    .summary = "difference of the weighted entropies of small chroma pictures (SpEED)",
    .options = kOptions,
    .outputs = kOutputs,
    .inputs = Inputs,
    .make = Make,
};

}  // namespace acutance
