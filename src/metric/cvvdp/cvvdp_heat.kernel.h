// Heat of a scale and of all that are smaller, at its size, or the map of the largest (docs/spec/cvvdp.md 6): an item
// has a pixel.
#include "kernel/exact_float.kernel.h"
#include "metric/cvvdp/cvvdp_args.h"
#include "metric/cvvdp/cvvdp_math.kernel.h"

KERNEL_USES(CvvdpHeatArgs, int32_t)

FUNCTION(int32_t) clamped(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? 0 : i;
  return from_0 < size ? from_0 : size - 1;
}

FUNCTION(float) expanded_down(CONTEXT(CONST_BUFFER(float) plane, int32_t column, int32_t y)) {
  const int32_t x = clamped(column, args.smaller_width);
  const int32_t j = y / 2;
  const float above = plane.data[clamped(j - 1, args.smaller_height) * args.smaller_row + x];
  const float middle = plane.data[clamped(j, args.smaller_height) * args.smaller_row + x];
  const float below = plane.data[clamped(j + 1, args.smaller_height) * args.smaller_row + x];
  return (y & 1) != 0 ? cvvdp_expanded_between(middle, below) : cvvdp_expanded(above, middle, below);
}

FUNCTION(float) expanded_heat(CONTEXT(CONST_BUFFER(float) plane, int32_t x, int32_t y)) {
  const int32_t i = x / 2;
  const float centre = expanded_down(PASS(plane, i, y));
  const float right = expanded_down(PASS(plane, i + 1, y));
  if ((x & 1) != 0) return cvvdp_expanded_between(centre, right);
  return cvvdp_expanded(expanded_down(PASS(plane, i - 1, y)), centre, right);
}

FUNCTION(float) heat_of(CONTEXT(float distance)) {
  if (distance <= 0.1f) return args.straight * distance;
  const FloatExponent exponent = {args.power, args.power_high, args.power_low};
  return args.factor * float_power(distance, exponent);
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.width && y < args.height) {
    const int64_t picture = int64_t(group_z()) * args.picture;
    float heat = CONST_BUFFER_AT(float, args.larger, picture).data[y * args.row + x];
    if (args.smaller_height > 0) {
      heat = expanded_heat(PASS(CONST_BUFFER_AT(float, args.smaller, picture), x, y)) + heat * args.share;
    }
    if (args.is_map != 0) heat = heat_of(PASS(heat));
    BUFFER(float) to = BUFFER_AT(float, args.to, int64_t(group_z()) * args.to_picture);
    to.data[y * args.to_row + x] = heat;
  }
}
