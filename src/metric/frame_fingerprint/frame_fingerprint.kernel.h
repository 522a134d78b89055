// The partial results of a row of cells. An item adds up rows of a quarter: BLOCK_X is the number of columns of
// quarters, and half of BLOCK_Y shares the rows of the upper quarters, half those of the lower ones. PIXEL: uint8_t or
// uint16_t.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/frame_fingerprint/frame_fingerprint_args.h"
#include "metric/frame_fingerprint/frame_fingerprint_math.kernel.h"

#define SHARERS (BLOCK_Y / 2)  // of a quarter

struct FrameFingerprintShared {
  uint64_t sums[BLOCK_X * BLOCK_Y];
};

KERNEL_USES(FrameFingerprintArgs, FrameFingerprintShared)

FUNCTION(uint64_t) sum_of_row(CONTEXT(CONST_BUFFER(PIXEL) samples, int32_t row)) {
  const int32_t left = local_x() * args.plane.width;  // in 64ths of samples
  const int32_t right = left + args.plane.width;
  const int32_t begin = left / SIGNATURE_QUARTERS;
  const int32_t end = right / SIGNATURE_QUARTERS;
  const int32_t after = right % SIGNATURE_QUARTERS;  // 0 where the row ends
  uint32_t whole = 0u;
  for (int32_t x = begin; x < end; ++x) whole += uint32_t(samples.data[row + x]);
  const uint32_t first = uint32_t(samples.data[row + begin]);
  const uint32_t last = after > 0 ? uint32_t(samples.data[row + end]) : 0u;
  return quarter_sum(whole, uint32_t(left % SIGNATURE_QUARTERS), first, uint32_t(after), last);
}

FUNCTION(int32_t) mean_of(CONTEXT(int32_t column, int32_t lower)) {
  uint64_t sum = uint64_t(0u);
  UNROLL for (int32_t i = 0; i < SHARERS; ++i) sum += group.sums[(lower * SHARERS + i) * BLOCK_X + column];
  return quarter_mean(sum, args.plane.width * args.rows, args.bit_depth);
}

KERNEL_MAIN() {
  CONST_BUFFER(PIXEL) samples = SHARED_PLANE(PIXEL, args.samples);
  const int32_t quarter = 2 * group_y() + local_y() / SHARERS;
  uint64_t sum = uint64_t(0u);
  for (int32_t i = local_y() % SHARERS; i < args.rows; i += SHARERS) {
    sum += sum_of_row(PASS(samples, fingerprint_row(quarter, i, args.plane.height, args.rows) * args.plane.row_stride));
  }
  group.sums[local_y() * BLOCK_X + local_x()] = sum;
  group_barrier();
  if (local_y() == 0 && local_x() < SIGNATURE_COLUMNS) {
    const int32_t left = 2 * local_x();
    const int64_t word = cell_word(mean_of(PASS(left, 0)), mean_of(PASS(left + 1, 0)), mean_of(PASS(left, 1)),
                                   mean_of(PASS(left + 1, 1)));
    BUFFER(int64_t)
    words = BUFFER_AT(int64_t, args.words, int64_t(group_z()) * int64_t(args.pair_words) + int64_t(args.first_word));
    words.data[group_y() * SIGNATURE_COLUMNS + local_x()] = word;
  }
}
