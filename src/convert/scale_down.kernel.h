// The scaler's filter down columns (convert/scaler.h), of results of the filter along rows. An item makes four samples
// of a row, of SAMPLE_BYTES; beyond a row's end it fills its padding.
#include "convert/scale_down_args.h"
#include "convert/scale_math.kernel.h"

struct ScaleDownShared {
  uint32_t unused;
};

KERNEL_USES(ScaleDownArgs, ScaleDownShared)

FUNCTION(int32_t) high_half(uint32_t word) { return int32_t(word) >> 16; }

FUNCTION(uint32_t) sample_of(CONTEXT(int32_t sum)) { return uint32_t(down_result(sum, args.bit_depth)) << args.shift; }

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.fours && y < args.height) {
    CONST_BUFFER(uint32_t) from = CONST_BUFFER_AT(uint32_t, args.from, int64_t(group_z()) * args.from_picture);
    BUFFER(uint32_t)
    to = BUFFER_AT(uint32_t, args.to, int64_t(group_z()) * args.to_picture + int64_t(y) * int64_t(args.to_row));
    const int32_t first = args.first.data[y];
    const int32_t start = down_start(args.bit_depth);
    int32_t a = start;
    int32_t b = start;
    int32_t c = start;
    int32_t d = start;
    for (int32_t k = 0; k < args.taps; ++k) {
      const int32_t at = inside(first + k, args.from_height) * args.from_row + 2 * x;
      const int32_t weight = args.weights.data[k * args.height + y];
      const uint32_t ab = from.data[at];
      const uint32_t cd = from.data[at + 1];
      a += weight * low_half(ab);
      b += weight * high_half(ab);
      c += weight * low_half(cd);
      d += weight * high_half(cd);
    }
    const uint32_t low = sample_of(PASS(a)) | (sample_of(PASS(b)) << (8 * SAMPLE_BYTES));
    const uint32_t high = sample_of(PASS(c)) | (sample_of(PASS(d)) << (8 * SAMPLE_BYTES));
#if SAMPLE_BYTES == 1
    to.data[x] = low | (high << 16);
#else
    to.data[2 * x] = low;
    to.data[2 * x + 1] = high;
#endif
  }
}
