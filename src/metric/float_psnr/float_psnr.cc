#include "metric/float_psnr/float_psnr.h"

#include <cmath>

#include "base/int_math.h"
#include "metric/blocks/partial_sums.h"
#include "metric/blocks/peak.h"
#include "metric/blocks/reference_of.h"
#include "metric/float_psnr/float_psnr_args.h"

namespace acutance {
namespace {

const OutputSpec kOutputs[] = {{.name = "float_psnr", .rank = 60, .unit = "dB"}};

class FloatPsnrExtractor : public Extractor {
 public:
  explicit FloatPsnrExtractor(const PictureFormat& format)
      : Extractor({.stages = {{format.height}}, .sums = 1}), format_(format) {}

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces&,
               const BandResults& results) const override {
    results.sums[0] += FloatSquaredError(frame.plane(0), frame.plane(1), format_.bit_depth, band);
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const double squared_error = std::ldexp(static_cast<double>(totals.sums[0]), -2 * (format_.bit_depth - 8));
    const double pixels = static_cast<double>(int64_t{format_.width} * format_.height);
    const double peak = FloatPeak(format_.bit_depth);
    outputs.values[0] = LimitedDecibels(peak * peak, squared_error / pixels, format_.bit_depth);
    return {};
  }

 private:
  const PictureFormat format_;
};

Result<std::unique_ptr<Extractor>> Make(const Setup&, const PictureFormat& format) {
  return std::make_unique<FloatPsnrExtractor>(format);
}

constexpr TuningEntry kTuning[] = {{"float_psnr_error", "", "64x4r8"}};

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "float_psnr_error", context));
  Plan plan(context, context.pairs(), 1);
  PartialSums sums(1);
  const PlaneView reference = context.Input(Video::kReference);
  const Grid grid = {CeilDiv(reference.width, kernel->group_x),
                     CeilDiv(reference.height, kernel->group_y * kernel->rows), context.pairs()};
  FloatPsnrArgs args = {.reference = reference.data,
                        .distorted = context.Input(Video::kDistorted).data,
                        .partials = 0,
                        .picture_stride = reference.picture_stride,
                        .row_stride = reference.row_stride,
                        .width = reference.width,
                        .height = reference.height,
                        .inverse = inverse_of(context.videos),
                        .partials_per_frame = 0,
                        .first_partial = sums.Reserve(0, grid)};
  const BufferRef partials = sums.AddBuffer(plan);
  args.partials = partials;
  args.partials_per_frame = sums.per_frame();
  ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel, grid, args, "none"));
  ACU_RETURN_IF_ERROR(sums.AddLaunch(plan, partials));
  return plan;
}

}  // namespace

const Metric kFloatPsnrMetric = {
    .name = "float_psnr",
    .summary = "peak signal-to-noise ratio of luma as floats, in dB",
    .options = {},
    .outputs = kOutputs,
    .make = Make,
    .make_plan = MakePlan,
};

}  // namespace acutance
