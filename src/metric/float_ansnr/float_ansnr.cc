#include "metric/float_ansnr/float_ansnr.h"

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/peak.h"
#include "metric/blocks/reference_of.h"
#include "metric/blocks/words.h"
#include "metric/float_ansnr/float_ansnr_args.h"

namespace acutance {
namespace {

enum Output { kAnsnr, kAnpsnr, kOutputCount };

const OutputSpec kOutputs[kOutputCount] = {{.name = "float_ansnr", .unit = "dB"},
                                           {.name = "float_anpsnr", .unit = "dB"}};

class FloatAnsnrExtractor : public Extractor {
 public:
  explicit FloatAnsnrExtractor(const PictureFormat& format)
      : Extractor({.stages = {{format.height}}, .words = kAnsnrWords * format.height}), format_(format) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return std::make_unique<AnsnrRows>(format_.width); }

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    AnsnrRowSums(frame.plane(0), frame.plane(1), format_.bit_depth, band, static_cast<AnsnrRows&>(*workspaces.thread),
                 results.words.data());
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    float signal = 0, noise = 0;
    for (int y = 0; y < format_.height; ++y) {
      signal += FloatFromWord(totals.words[kAnsnrWords * y]);
      noise += FloatFromWord(totals.words[kAnsnrWords * y + 1]);
    }
    const int depth = format_.bit_depth;
    const double ratio = static_cast<double>(signal / noise);
    const double peak = FloatPeak(depth), pixels = static_cast<double>(int64_t{format_.width} * format_.height);
    outputs.values[kAnsnr] = noise == 0 ? FloatDecibelLimit(depth) : 10 * Log10(ratio);
    outputs.values[kAnpsnr] = LimitedDecibels(peak * peak * pixels, static_cast<double>(noise), depth);
    return {};
  }

 private:
  const PictureFormat format_;
};

constexpr TuningEntry kTuning[] = {{"float_ansnr_rows", "", "64x4r4"}};

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  const PlaneView reference = context.Input(Video::kReference);
  Plan plan(context, context.pairs(), 0, kAnsnrWords * reference.height);
  const FloatAnsnrArgs args = {.reference = reference.data,
                               .distorted = context.Input(Video::kDistorted).data,
                               .words = plan.Words(),
                               .plane = PlaneArgsOf(reference, context.videos),
                               .sample_scale = 1.0f / static_cast<float>(1 << (context.format.bit_depth - 8))};
  ACU_RETURN_IF_ERROR(
      plan.AddWork(kTuning, "float_ansnr_rows", {1, reference.height, context.pairs()}, args, "mirror 2"));
  return plan;
}

}  // namespace

const Metric kFloatAnsnrMetric = {
    .name = "float_ansnr",
    .summary = "signal-to-noise ratio of filtered luma, in dB",
    .options = {},
    .outputs = kOutputs,
    .smallest = {kAnsnrMinSide, kAnsnrMinSide},
    .make = MakeBy<FloatAnsnrExtractor>,
    .make_plan = MakePlan,
};

}  // namespace acutance
