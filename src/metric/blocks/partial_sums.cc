#include "metric/blocks/partial_sums.h"

#include <algorithm>

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

}  // namespace acutance
