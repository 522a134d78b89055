#include "metric/hdr/hdr_plan.h"

#include "base/int_math.h"

namespace acutance {
namespace {

constexpr TuningEntry kSumsTuning[] = {{"hdr_sums", "", "64x1"}};

}  // namespace

HdrPlanSize::HdrPlanSize(const PlanContext& context)
    : width(context.format.width), strips(CeilDiv(context.format.height, kHdrStrip)) {}

HdrLightView::HdrLightView(const HdrSettings& settings, const PlanContext& context, Video video) {
  for (int p = 0; p < 3; ++p) planes[p] = context.Input(video, p, 0, HdrLightKey(settings));
}

BufferRef AddHdrColumns(Plan& plan, const PlanContext& context, int sums) {
  const HdrPlanSize size(context);
  const size_t columns = static_cast<size_t>(sums) * size.strips * size.width * context.pairs();
  return plan.AddScratch("sums of columns", sizeof(double) * columns);
}

HdrStripsArgs MakeHdrStripsArgs(const HdrSettings& settings, const PlanContext& context, BufferRef columns) {
  const HdrLightView reference(settings, context, Video::kReference), distorted(settings, context, Video::kDistorted);
  const HdrWeights weights(settings);
  return {.reference_red = reference.planes[0].data,
          .reference_green = reference.planes[1].data,
          .reference_blue = reference.planes[2].data,
          .distorted_red = distorted.planes[0].data,
          .distorted_green = distorted.planes[1].data,
          .distorted_blue = distorted.planes[2].data,
          .columns = columns,
          .map = columns,  // of kernels that draw none
          .picture = reference.planes[0].picture_stride,
          .map_picture = 0,
          .row = reference.planes[0].row_stride,
          .map_row = 0,
          .width = context.format.width,
          .height = context.format.height,
          .inverse = inverse_of(context.videos),
          .of_red = weights.red,
          .of_green = weights.green,
          .of_blue = weights.blue,
          .is_bt2020 = settings.is_bt2020 ? 1 : 0,
          .draws = 0};
}

Status AddHdrSums(Plan& plan, const PlanContext& context, const HdrSumsSpec& spec) {
  const HdrPlanSize size(context);
  const HdrSumsArgs args = {
      .columns = spec.columns, .words = plan.Words(), .width = size.width, .sums = spec.sums, .largest = spec.largest};
  return plan.AddGroups(kSumsTuning, "hdr_sums", {spec.sums, size.strips, context.pairs()}, args, "none");
}

}  // namespace acutance
