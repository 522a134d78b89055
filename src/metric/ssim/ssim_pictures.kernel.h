// The pictures that a workgroup of a launch with SsimShrinkArgs reads and writes.
#pragma once

FUNCTION(CONST_BUFFER(PIXEL)) picture_of_group(CONTEXT()) {
  if (group_z() < args.frames) {
    return CONST_BUFFER_AT(PIXEL, args.reference, int64_t(group_z()) * args.picture_stride);
  }
  return CONST_BUFFER_AT(PIXEL, args.distorted, int64_t(group_z() - args.frames) * args.picture_stride);
}

FUNCTION(float) value_at(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t i)) {
#if FLOATS
  return picture.data[i];
#else
  return float(int32_t(picture.data[i])) * args.sample_scale;
#endif
}

FUNCTION(void) store_small(CONTEXT(int32_t x, int32_t y, float value)) {
  const int32_t i = y * args.small_row + x;
  if (group_z() < args.frames) {
    BUFFER(float) made = BUFFER_AT(float, args.small_reference, int64_t(group_z()) * args.small_stride);
    made.data[i] = value;
  } else {
    BUFFER(float) made = BUFFER_AT(float, args.small_distorted, int64_t(group_z() - args.frames) * args.small_stride);
    made.data[i] = value;
  }
}
