// ciede on devices: the differences of pixels, then their sums along the rows.
#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/ciede/ciede.h"
#include "metric/ciede/ciede_args.h"
#include "metric/ciede/ciede_rows_args.h"

namespace acutance {
namespace {

constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

constexpr TuningEntry kTuning[] = {{"ciede_pixels", "", "64x4"}, {"ciede_rows", "", "32x8r2"}};

int KindOf(PixelFormat format) {
  switch (format) {
    case PixelFormat::k420:
      return CIEDE_420;
    case PixelFormat::k422:
      return CIEDE_422;
    default:
      return CIEDE_444;
  }
}

CiedePixelsArgs ArgsOf(const PlanContext& context) {
  const PlaneView luma = context.Input(Video::kReference), cb = context.Input(Video::kReference, 1);
  const int unit = 1 << (context.format.bit_depth - 8);
  return {.reference = luma.data,
          .reference_cb = cb.data,
          .reference_cr = context.Input(Video::kReference, 2).data,
          .distorted = context.Input(Video::kDistorted).data,
          .distorted_cb = context.Input(Video::kDistorted, 1).data,
          .distorted_cr = context.Input(Video::kDistorted, 2).data,
          .steps = 0,
          .differences = 0,
          .luma_picture = luma.picture_stride,
          .chroma_picture = cb.picture_stride,
          .luma_row = luma.row_stride,
          .chroma_row = cb.row_stride,
          .width = luma.width,
          .height = luma.height,
          .chroma_width = cb.width,
          .chroma_height = cb.height,
          .chroma_stride = MakeCiedeChroma(context.format).stride,
          .chroma_kind = KindOf(context.format.pixel_format),
          .unit = unit,
          .inverse = inverse_of(context.videos),
          .difference_row = CeilDiv(luma.width, kRowMultiple) * kRowMultiple};
}

}  // namespace

Result<Plan> MakeCiedePlan(const Setup&, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const KernelImage* rows, ChooseVariant(kTuning, "ciede_rows", context));
  CiedePixelsArgs args = ArgsOf(context);
  Plan plan(context, context.pairs(), 0, args.height);
  const ciede::CiedeSteps steps = ciede::steps_of(args.unit);
  const int64_t picture = int64_t{args.difference_row} * args.height;
  const BufferRef differences = plan.AddScratch("colour differences", sizeof(float) * picture * context.pairs());
  args.steps = plan.AddTable("steps of samples", std::span(&steps, 1));
  args.differences = differences;
  ACU_RETURN_IF_ERROR(plan.AddWork(kTuning, "ciede_pixels", {args.width, args.height, context.pairs()}, args, "none"));
  const CiedeRowsArgs row_args = {.differences = differences,
                                  .words = plan.Words(),
                                  .width = args.width,
                                  .height = args.height,
                                  .difference_row = args.difference_row};
  ACU_RETURN_IF_ERROR(
      plan.AddLaunch(*rows, {1, CeilDiv(args.height, rows->group_x), context.pairs()}, row_args, "none"));
  return plan;
}

}  // namespace acutance
