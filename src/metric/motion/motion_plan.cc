#include "metric/motion/motion_plan.h"

#include "base/int_math.h"
#include "metric/blocks/partial_sums.h"
#include "metric/motion/motion_args.h"

namespace acutance {
namespace {

constexpr int kMargin = 2;  // columns at both ends of a workgroup that are filtered for their neighbours only

constexpr TuningEntry kTuning[] = {
    {"motion_sad", WorkloadClass::kSmall, "", "64x4r4", 16},
    {"motion_sad", WorkloadClass::kMedium, "", "64x4r8", 4},
    {"motion_sad", WorkloadClass::kLarge, "", "128x2r8", 2},
    {"motion_sad", WorkloadClass::kSmall, "sm_90", "128x1r16", 64},
    {"motion_sad", WorkloadClass::kMedium, "sm_90", "128x1r16", 16},
    {"motion_sad", WorkloadClass::kLarge, "sm_90", "128x1r16", 4},
    {"motion_sad", WorkloadClass::kSmall, "nvidia", "128x1r16", 64},
    {"motion_sad", WorkloadClass::kMedium, "nvidia", "128x1r16", 16},
    {"motion_sad", WorkloadClass::kLarge, "nvidia", "128x1r16", 4},
};

MotionSadArgs MakeArgs(const PlanContext& context, int lag) {
  const PlaneLayout& layout = context.layout(PlanInput::kReferenceY);
  const uint64_t picture_bytes = layout.picture_stride * context.format.BytesPerSample();
  const int luma = static_cast<int>(PlanInput::kReferenceY);
  return {.earlier = BufferRef{luma, picture_bytes * (layout.history - lag)},
          .current = BufferRef{luma, picture_bytes * layout.history},
          .partials = 0,
          .picture_stride = layout.picture_stride,
          .row_stride = layout.row_stride,
          .width = layout.width,
          .height = layout.height,
          .bit_depth = context.format.bit_depth,
          .partials_per_frame = 0,
          .first_partial = 0};
}

Status AddSad(Plan& plan, PartialSums& sums, BufferRef& partials, const PlanContext& context, int lag) {
  const PlaneLayout& layout = context.layout(PlanInput::kReferenceY);
  if (layout.history < lag)
    return Error(StatusCode::kInvalidArgument,
                 "motion compares with the picture {} frames ago, the batch has {} before", lag, layout.history);
  ACU_ASSIGN_OR_RETURN(const TunedKernel kernel, ChooseVariant(kTuning, "motion_sad", context));
  const Grid grid = {CeilDiv(layout.width, kernel.image->group_x - 2 * kMargin),
                     CeilDiv(layout.height, kernel.image->group_y * kernel.image->rows), context.batch};
  MotionSadArgs args = MakeArgs(context, lag);
  args.first_partial = sums.Reserve(0, grid);
  args.partials_per_frame = sums.per_frame();
  args.partials = partials = sums.AddBuffer(plan, context.batch);
  plan.PreferBatch(kernel.batch);
  return plan.AddLaunch(*kernel.image, grid, args, "mirror 2");
}

}  // namespace

Result<Plan> MakeMotionPlan(const OptionValues& options, const PlanContext& context) {
  Plan plan(1);
  PartialSums sums(1);
  BufferRef partials;
  if (options.Bool("motion_force_zero")) partials = sums.AddBuffer(plan, context.batch);
  else ACU_RETURN_IF_ERROR(AddSad(plan, sums, partials, context, options.Bool("motion_five_frame_window") ? 2 : 1));
  ACU_RETURN_IF_ERROR(sums.AddLaunch(plan, partials, context.batch));
  return plan;
}

}  // namespace acutance
