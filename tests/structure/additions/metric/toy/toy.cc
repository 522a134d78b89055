#include "metric/toy/toy.h"

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/partial_sums.h"
#include "metric/toy/toy_args.h"
#include "metric/toy/toy_ref.h"

namespace acutance {
namespace {

constexpr OutputSpec kOutputs[] = {{.name = "toy"}};

constexpr TuningEntry kTuning[] = {
    {"toy_sum", WorkloadClass::kSmall, "", "64x4", 8},
    {"toy_sum", WorkloadClass::kMedium, "", "64x4", 4},
    {"toy_sum", WorkloadClass::kLarge, "", "64x4", 1},
};

class ToyExtractor : public Extractor {
 public:
  explicit ToyExtractor(const PictureFormat& format) : format_(format) {}

  int SumCount() const override { return 1; }
  int StageRows(int) const override { return format_.height; }

  void RunBand(const FrameInput& input, int, RowBand band, Workspace*, Workspace*,
               std::span<int64_t> sums) const override {
    sums[0] += SumAbsoluteDifferences(input.reference->planes[0], input.distorted->planes[0], format_.bit_depth,
                                      band.begin, band.end);
  }

  void Finish(std::span<const int64_t> sums, std::span<double> values) const override {
    values[0] = static_cast<double>(sums[0]) / (static_cast<double>(format_.width) * format_.height);
  }

 private:
  const PictureFormat format_;
};

Result<std::unique_ptr<Extractor>> Make(const OptionValues&, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckPictureFormat(format));
  return std::unique_ptr<Extractor>(std::make_unique<ToyExtractor>(format));
}

Result<Plan> MakePlan(const OptionValues&, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const TunedKernel kernel, ChooseVariant(kTuning, "toy_sum", context));
  const PlaneLayout& layout = context.layout(PlanInput::kReferenceY);
  const Grid grid = {CeilDiv(layout.width, kernel.image->group_x), CeilDiv(layout.height, kernel.image->group_y),
                     context.batch};
  Plan plan(1);
  plan.PreferBatch(kernel.batch);
  PartialSums sums(1);
  const int32_t first_partial = sums.Reserve(0, grid);
  const BufferRef partials = sums.AddBuffer(plan, context.batch);
  const uint64_t history = layout.history * layout.picture_stride * context.format.BytesPerSample();
  const ToySumArgs args = {.reference = BufferRef{static_cast<int>(PlanInput::kReferenceY), history},
                           .distorted = plan.Input(PlanInput::kDistortedY),
                           .partials = partials,
                           .picture_stride = layout.picture_stride,
                           .row_stride = layout.row_stride,
                           .width = layout.width,
                           .height = layout.height,
                           .partials_per_frame = sums.per_frame(),
                           .first_partial = first_partial};
  ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel.image, grid, args, "none"));
  ACU_RETURN_IF_ERROR(sums.AddLaunch(plan, partials, context.batch));
  return plan;
}

}  // namespace

const Metric kToyMetric = {
    .name = "toy",
    .summary = "mean absolute difference of luma",
    .outputs = kOutputs,
    .make = Make,
    .make_plan = MakePlan,
};

}  // namespace acutance
