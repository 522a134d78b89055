// The planes of a batch's pairs as kernels' arguments.
#pragma once

#include "exec/plan.h"
#include "metric/blocks/plane_args.h"

namespace acutance {
#include "metric/blocks/reference_of.kernel.h"

/// Planes like `plane`, of which `videos` pairs share one.
inline PlaneArgs PlaneArgsOf(const PlaneView& plane, int videos = 1) {
  return {plane.picture_stride, plane.row_stride, plane.width, plane.height, inverse_of(videos)};
}

}  // namespace acutance
