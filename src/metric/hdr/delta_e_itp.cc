#include <algorithm>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/words.h"
#include "metric/hdr/hdr.h"
#include "metric/hdr/hdr_plan.h"

namespace acutance {
namespace {

const std::vector<OptionSpec> kDeltaEOptions = WithHdrOptions({});

const OutputSpec kDeltaEOutputs[] = {{.name = "delta_e_itp", .better = ScoreDirection::kLower, .rank = 52},
                                     {.name = "delta_e_itp_max", .better = ScoreDirection::kLower}};

constexpr double kStep = 720;  // a just noticeable difference is 1

PictureFormat MapFormat(const PictureFormat& format) {
  return {format.width, format.height, kFloatDepth, PixelFormat::k400};
}

/// A row of the stage is a strip.
class DeltaEExtractor : public Extractor {
 public:
  DeltaEExtractor(const HdrSettings& settings, const PictureFormat& format)
      : Extractor({.stages = {{CeilDiv(format.height, kHdrStrip)}},
                   .words = kDeltaEWords * CeilDiv(format.height, kHdrStrip),
                   .artifacts = {{"delta_e_itp", MapFormat(format)}}}),
        width_(format.width),
        pixels_(int64_t{format.width} * format.height),
        is_bt2020_(settings.is_bt2020) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<HdrBuffers>(1, width_); }

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    const DeltaEMap map = {results.artifacts.empty() ? nullptr : results.artifacts.data()};
    DeltaEStrips(HdrPairOf(frame), is_bt2020_, band, results.words, map, static_cast<HdrBuffers&>(*workspaces.thread));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double most = 0;
    for (size_t i = 1; i < totals.words.size(); i += kDeltaEWords)
      most = std::max(most, DoubleFromWord(totals.words[i]));
    outputs.values[0] = kStep * (HdrTotal(totals.words, 0, kDeltaEWords) / static_cast<double>(pixels_));
    outputs.values[1] = kStep * most;
    return {};
  }

 private:
  const int width_;
  const int64_t pixels_;
  const bool is_bt2020_;
};

constexpr TuningEntry kDeltaETuning[] = {{"delta_e_itp", "", "64x1"}};

Result<Plan> MakeDeltaEPlan(const HdrSettings& settings, const PlanContext& context) {
  const HdrPlanSize size(context);
  Plan plan(context, context.pairs(), 0, kDeltaEWords * size.strips);
  const BufferRef columns = AddHdrColumns(plan, context, kDeltaEWords);
  HdrStripsArgs args = MakeHdrStripsArgs(settings, context, columns);
  if (context.artifacts) {
    const PlaneView map = plan.AddArtifact("delta_e_itp", MapFormat(context.format));
    args.map = map.data;
    args.map_picture = map.picture_stride;
    args.map_row = map.row_stride;
    args.draws = 1;
  }
  ACU_RETURN_IF_ERROR(
      plan.AddWork(kDeltaETuning, "delta_e_itp", {size.width, size.strips, context.pairs()}, args, "none"));
  constexpr unsigned kLargest = 1u << 1;
  ACU_RETURN_IF_ERROR(AddHdrSums(plan, context, {.columns = columns, .sums = kDeltaEWords, .largest = kLargest}));
  return plan;
}

Result<HdrSettings> ReadDeltaESettings(const OptionValues& options) { return ReadHdrSettings("delta_e_itp", options); }

Result<std::unique_ptr<Extractor>> MakeDeltaE(const HdrSettings& settings, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckLinearRgb("delta_e_itp", settings.rgb, format));
  return std::make_unique<DeltaEExtractor>(settings, format);
}

}  // namespace

const Metric kDeltaEItpMetric = {
    .name = "delta_e_itp",
    .summary = "mean color difference of a display's light by ITU-R BT.2124, for HDR and SDR; 1: just noticeable",
    .options = kDeltaEOptions,
    .outputs = kDeltaEOutputs,
    .map = {.source = MapSource::kFirstArtifact},
    .prepare = PrepareBy<ReadDeltaESettings>,
    .inputs = OfSettings<HdrInputs>,
    .reads_all_chroma = true,
    .reads_floats = true,
    .must_be_declared = "transfer",
    .for_hdr = [](const HdrFacts&) { return HdrDefaults(); },
    .make = OfSettings<MakeDeltaE>,
    .make_plan = OfSettings<MakeDeltaEPlan>,
};

}  // namespace acutance
