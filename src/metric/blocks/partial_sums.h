// Sums of a frame on a device: each workgroup stores one 64-bit partial sum, a second launch adds
// them up. No atomics: nothing to clear, and no order to depend on.
#pragma once

#include <cstdint>
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

}  // namespace acutance
