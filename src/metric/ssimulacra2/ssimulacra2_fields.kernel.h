// What a component's kernels find where. Comes after KERNEL_USES of Ssimulacra2BlurArgs.
#pragma once

#include "metric/blocks/reference_of.kernel.h"

FUNCTION(int32_t) fields_of(CONTEXT(int32_t component)) { return (args.fields >> (4 * component)) & 15; }

// The pair's first field of the component among those blurred along the rows, in floats.
FUNCTION(int64_t) first_field(CONTEXT(int32_t component)) {
  int32_t before = 0;
  for (int32_t c = 0; c < component; ++c) before += fields_of(PASS(c));
  return int64_t(group_z()) * args.pair + int64_t(before) * args.plane;
}

// The component's plane of the pair's pictures.
FUNCTION(CONST_BUFFER(float)) reference_plane(CONTEXT(int32_t component)) {
  const int32_t plane = SSIMULACRA2_COMPONENTS * reference_of(group_z(), args.inverse) + component;
  return CONST_BUFFER_AT(float, args.reference, int64_t(plane) * args.plane);
}
FUNCTION(CONST_BUFFER(float)) distorted_plane(CONTEXT(int32_t component)) {
  return CONST_BUFFER_AT(float, args.distorted, int64_t(SSIMULACRA2_COMPONENTS * group_z() + component) * args.plane);
}

// The component's sums of a strip of columns.
FUNCTION(int64_t) first_column(CONTEXT(int32_t component, int32_t strip, int32_t sum)) {
  const int32_t row = ((SSIMULACRA2_COMPONENTS * group_z() + component) * args.strips + strip) * SSIMULACRA2_SUMS + sum;
  return int64_t(row) * int64_t(args.width);
}
