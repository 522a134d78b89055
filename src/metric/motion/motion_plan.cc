#include "metric/motion/motion.h"

#include "base/int_math.h"
#include "metric/blocks/partial_sums.h"
#include "metric/motion/motion_args.h"

namespace acutance {
namespace {

constexpr int kMargin = 2;  // columns at both ends of a workgroup that are filtered for their neighbours only

constexpr TuningEntry kTuning[] = {
    {"motion_sad", "", "64x4r4"},
    {"motion_sad", "", "64x4r8", WorkloadClass::kMedium},
    {"motion_sad", "", "128x2r8", WorkloadClass::kLarge},
    {"motion_sad", "sm_", "128x1r16"},
    {"motion_sad", "nvidia", "128x1r16"},
};

MotionSadArgs MakeArgs(const PlanContext& context, int lag) {
  const PlaneView current = context.Input(Video::kReference);
  return {.earlier = context.Input(Video::kReference, 0, lag).data,
          .current = current.data,
          .partials = 0,
          .picture_stride = current.picture_stride,
          .row_stride = current.row_stride,
          .width = current.width,
          .height = current.height,
          .bit_depth = context.format.bit_depth,
          .partials_per_frame = 0,
          .first_partial = 0};
}

Status AddSad(Plan& plan, PartialSums& sums, BufferRef& partials, const PlanContext& context, int lag) {
  ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "motion_sad", context));
  const Grid grid = {CeilDiv(context.format.width, kernel->group_x - 2 * kMargin),
                     CeilDiv(context.format.height, kernel->group_y * kernel->rows), context.frames};
  MotionSadArgs args = MakeArgs(context, lag);
  args.first_partial = sums.Reserve(0, grid);
  args.partials_per_frame = sums.per_frame();
  args.partials = partials = sums.AddBuffer(plan);
  return plan.AddLaunch(*kernel, grid, args, "mirror 2");
}

}  // namespace

Result<Plan> MakeMotionPlan(const MotionSettings& settings, const PlanContext& context) {
  Plan plan(context, context.frames, 1);
  PartialSums sums(1);
  BufferRef partials;
  if (settings.force_zero) partials = sums.AddBuffer(plan);
  else ACU_RETURN_IF_ERROR(AddSad(plan, sums, partials, context, settings.lag));
  ACU_RETURN_IF_ERROR(sums.AddLaunch(plan, partials));
  return plan;
}

}  // namespace acutance
