#include "metric/blocks/partial_sums.h"

#include <algorithm>
#include <utility>

#include "base/int_math.h"
#include "metric/blocks/pair_sum_args.h"
#include "metric/blocks/reference_of.h"
#include "metric/blocks/sum_partials_args.h"

namespace acutance {

int32_t PartialSums::Reserve(int sum, const Grid& grid) {
  const int32_t first = per_frame_;
  ranges_[2 * sum] = first;
  ranges_[2 * sum + 1] = grid.x * grid.y;
  per_frame_ += grid.x * grid.y;
  return first;
}

BufferRef PartialSums::AddBuffer(Plan& plan) const {
  const size_t partials = static_cast<size_t>(std::max(per_frame_, 1)) * plan.items();
  return plan.AddScratch("partial sums", partials * sizeof(uint64_t));
}

Status PartialSums::AddLaunch(Plan& plan, BufferRef partials) const {
  const KernelImage* kernel = FindKernelImage("sum_partials", "256x1");
  if (kernel == nullptr)
    return Error(StatusCode::kUnsupported, "kernel sum_partials_256x1 is missing in this build: build acutance again");
  const SumPartialsArgs args = {
      .partials = partials,
      .ranges = plan.AddTable("ranges of the partial sums", ranges_),
      .sums = plan.Sums(),
      .partials_per_frame = per_frame_,
      .sum_count = plan.sum_count(),
  };
  return plan.AddLaunch(*kernel, {.x = plan.sum_count(), .z = plan.items()}, args, "none");
}

Result<Plan> MakePairSumPlan(const PairSumKernel& kernel, const PlanContext& context, int sum_count, int planes) {
  ACU_ASSIGN_OR_RETURN(const KernelImage* image, ChooseVariant(kernel.tuning, kernel.name, context));
  Plan plan(context, context.pairs(), sum_count);
  PartialSums sums(sum_count);
  std::vector<PartialSumLaunch<PairSumArgs>> launches;
  for (int p = 0; p < planes; ++p) {
    PlaneView reference = context.Input(Video::kReference, p);
    const Grid grid = GridFor(*image, {CeilDiv(reference.width, kernel.samples), reference.height, context.pairs()});
    reference.picture_stride /= kernel.samples;
    reference.row_stride /= kernel.samples;
    const PairSumArgs args = {.reference = reference.data,
                              .distorted = context.Input(Video::kDistorted, p).data,
                              .partials = 0,
                              .plane = PlaneArgsOf(reference, context.videos),
                              .partials_per_frame = 0,
                              .first_partial = sums.Reserve(p, grid)};
    launches.push_back({image, grid, args});
  }
  ACU_RETURN_IF_ERROR(AddPartialSums(plan, sums, std::move(launches)));
  return plan;
}

}  // namespace acutance
