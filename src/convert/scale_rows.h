// Scaling of one plane, row by row. The implementations differ in the filters alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "convert/scale_taps.h"
#include "image/picture.h"

namespace acutance {

/// A plane to be scaled.
struct ScaleJob {
  Plane from;
  std::byte* to;
  ptrdiff_t to_stride;
  int to_width, to_height;
  int bit_depth;
  const ScaleTaps* across;
  const CompactTaps* across_near;  // of `across`
  const ScaleTaps* down;
};

/// The SIMD implementation.
void ScalePlane(const ScaleJob& job);
/// The reference implementation.
void ScalePlaneRef(const ScaleJob& job);

}  // namespace acutance
