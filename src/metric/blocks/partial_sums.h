// Sums of a frame on a device: each workgroup stores one 64-bit partial sum, a second launch adds
// them up. No atomics: nothing to clear, and no order to depend on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/plan.h"

namespace acutance {

class PartialSums {
 public:
  explicit PartialSums(int sum_count) : ranges_(2 * static_cast<size_t>(sum_count)) {}

  /// Makes room for one partial per workgroup of `grid` for sum `sum`, once per sum; a sum without
  /// is 0. Returns the kernel's argument `first_partial`.
  int32_t Reserve(int sum, const Grid& grid);

  /// The kernels' argument `partials_per_frame`, and their buffer; called after all Reserve calls.
  int32_t per_frame() const { return per_frame_; }
  BufferRef AddBuffer(Plan& plan) const;

  /// Adds the launch that sums; called after the launches that fill `partials`.
  Status AddLaunch(Plan& plan, BufferRef partials) const;

 private:
  std::vector<int32_t> ranges_;  // of sum i: [2i] the first partial, [2i + 1] how many
  int32_t per_frame_ = 0;
};

/// A launch that stores partial sums: Args have `partials` and `partials_per_frame`, which AddPartialSums sets.
template <class Args>
struct PartialSumLaunch {
  const KernelImage* kernel;
  Grid grid;
  Args args;
  std::string border = "none";
};

/// Adds `launches` and the one that sums.
template <class Args>
Status AddPartialSums(Plan& plan, const PartialSums& sums, std::vector<PartialSumLaunch<Args>> launches) {
  const BufferRef partials = sums.AddBuffer(plan);
  for (auto& [kernel, grid, args, border] : launches) {
    args.partials = partials;
    args.partials_per_frame = sums.per_frame();
    ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel, grid, args, border));
  }
  return sums.AddLaunch(plan, partials);
}

/// A kernel that takes PairSumArgs. An item reads `samples` neighbouring samples as one PIXEL.
struct PairSumKernel {
  std::string_view name;
  std::span<const TuningEntry> tuning;
  int samples = 1;
};

/// A plan of `sum_count` sums: sum p is the kernel's over plane p of both videos, for the first `planes`.
Result<Plan> MakePairSumPlan(const PairSumKernel& kernel, const PlanContext& context, int sum_count, int planes);

}  // namespace acutance
