// Samples of the next scale's images. The kernel's arguments have the buffers `next_reference` and `next_distorted` and
// the numbers `next_stride`, from picture to picture, and `next_row`.
#pragma once

FUNCTION(void) store_next(CONTEXT(int32_t x, int32_t y, float reference, float distorted)) {
  const int64_t picture = int64_t(group_z()) * args.next_stride;
  BUFFER(float) next_reference = BUFFER_AT(float, args.next_reference, picture);
  BUFFER(float) next_distorted = BUFFER_AT(float, args.next_distorted, picture);
  next_reference.data[y * args.next_row + x] = reference;
  next_distorted.data[y * args.next_row + x] = distorted;
}
