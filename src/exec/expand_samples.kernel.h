// Samples of 16-bit words, shifted up (image/expand_plane.h), from samples of SAMPLE_BYTES. An item reads a word;
// beyond the last sample of a row it shifts padding.
#include "exec/expand_samples_args.h"

struct ExpandSamplesShared {
  uint32_t unused;
};

KERNEL_USES(ExpandSamplesArgs, ExpandSamplesShared)

// Two samples as a word of 16-bit ones. Bits beyond the word are lost.
FUNCTION(uint32_t) expanded(uint32_t low, uint32_t high, int32_t shift) {
  return ((low << shift) & 0xffffu) | (high << (shift + 16));
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.words && y < args.height) {
    const int64_t from_row = int64_t(group_z()) * args.from_picture + int64_t(y) * int64_t(args.from_row);
    const int64_t to_row = int64_t(group_z()) * args.to_picture + int64_t(y) * int64_t(args.to_row);
    CONST_BUFFER(uint32_t) from = CONST_BUFFER_AT(uint32_t, args.from, from_row);
    BUFFER(uint32_t) to = BUFFER_AT(uint32_t, args.to, to_row);
    const uint32_t word = from.data[x];
#if SAMPLE_BYTES == 1
    to.data[2 * x] = expanded(word & 0xffu, (word >> 8) & 0xffu, args.shift);
    to.data[2 * x + 1] = expanded((word >> 16) & 0xffu, word >> 24, args.shift);
#else
    to.data[x] = expanded(word & 0xffffu, word >> 16, args.shift);
#endif
  }
}
