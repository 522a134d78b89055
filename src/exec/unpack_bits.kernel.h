// Samples of 16-bit words from packed ones (exec/pack_samples.h). An item makes a word of two samples;
// beyond the last sample it reads padding.
#include "exec/unpack_bits_args.h"

struct UnpackBitsShared {
  uint32_t unused;
};

KERNEL_USES(UnpackBitsArgs, UnpackBitsShared)

FUNCTION(uint32_t) sample_at(CONST_BUFFER(uint32_t) row, int32_t bit, int32_t bits) {
  const int32_t word = bit / 32;
  const int32_t shift = bit % 32;
  uint32_t value = row.data[word] >> shift;
  if (shift + bits > 32) value |= row.data[word + 1] << (32 - shift);
  return value & ((1u << bits) - 1u);
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.words && y < args.height) {
    CONST_BUFFER(uint32_t)
    from = CONST_BUFFER_AT(uint32_t, args.from,
                           int64_t(group_z()) * args.from_picture + int64_t(y) * int64_t(args.from_row));
    BUFFER(uint32_t)
    to = BUFFER_AT(uint32_t, args.to, int64_t(group_z()) * args.to_picture + int64_t(y) * int64_t(args.to_row));
    const int32_t bit = 2 * x * args.bits;
    to.data[x] = sample_at(from, bit, args.bits) | (sample_at(from, bit + args.bits, args.bits) << 16);
  }
}
