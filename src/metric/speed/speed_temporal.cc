// speed_temporal: how far the entropies of the changes from frame to frame differ (docs/spec/siblings.md 2).
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
    {"speed_max_val", "mxv", "shows in the key alone, as in libvmaf", 1000.0, 0, 1000, true},
    {"speed_use_ref_diff", "urd", "compare the distorted frame before with this frame of the reference", false, 0, 1,
     true},
};

const OutputSpec kOutputs[] = {
    {.name = "Speed_temporal_feature_speed_temporal_score", .alias = "speed_temporal"},
};

class SpeedTemporalExtractor : public Extractor {
 public:
  SpeedTemporalExtractor(const SpeedSettings& settings, const OptionValues& options, SpeedLayout layout)
      : Extractor(MakeSpeedSpec(layout, kPictures)),
        settings_(settings),
        use_reference_(options.Bool("speed_use_ref_diff")),
        layout_(std::move(layout)) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    return std::make_unique<SpeedSamples>(layout_, kPictures);
  }

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<SpeedScratch>(layout_); }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    if (!frame.at(0, 1)) return;
    const SpeedSource sources[kPictures] = {{&frame.plane(0, 0, 1), &frame.plane(0)},
                                            {&frame.plane(1, 0, 1), &frame.plane(use_reference_ ? 0 : 1)}};
    RunSpeedStage({layout_, settings_.sigma_nn, sources}, stage, band, workspaces, results.words);
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const size_t count = SpeedWords(layout_);
    outputs.values[0] =
        totals.history == 0
            ? 0.0
            : ScoreSpeed(settings_, /*weight_mode=*/0, totals.words.first(count), totals.words.last(count)).value;
    return {};
  }

 private:
  static constexpr int kPictures = 2;  // the changes of the reference, and of the distorted video

  const SpeedSettings settings_;
  const bool use_reference_;
  const SpeedLayout layout_;
};

Result<std::unique_ptr<Extractor>> Make(const OptionValues& options, const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(const SpeedSettings settings, ReadSpeedSettings(options));
  ACU_ASSIGN_OR_RETURN(SpeedLayout layout,
                       MakeSpeedLayout("speed_temporal", settings, format.width, format.height, format.bit_depth));
  return std::unique_ptr<Extractor>(std::make_unique<SpeedTemporalExtractor>(settings, options, std::move(layout)));
}

std::vector<InputSpec> Inputs(const OptionValues&) {
  return {{.video = Video::kReference, .history = 1}, {.video = Video::kDistorted, .history = 1}};
}

}  // namespace

const Metric kSpeedTemporalMetric = {
    .name = "speed_temporal",
    .summary = "difference of the weighted entropies of small frame differences (SpEED)",
    .options = kOptions,
    .outputs = kOutputs,
    .inputs = Inputs,
    .every_frame = true,
    .make = Make,
};

}  // namespace acutance
