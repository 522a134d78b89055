// The scaler's filter along rows (convert/scaler.h). An item makes a column of ROWS results.
#include "convert/scale_across_args.h"
#include "convert/scale_math.kernel.h"

struct ScaleAcrossShared {
  uint32_t unused;
};

KERNEL_USES(ScaleAcrossArgs, ScaleAcrossShared)

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first_row = (group_y() * BLOCK_Y + local_y()) * ROWS;
  if (x < args.columns && first_row < args.height) {
    CONST_BUFFER(SAMPLE) from = CONST_BUFFER_AT(SAMPLE, args.from, int64_t(group_z()) * args.from_picture);
    BUFFER(int16_t) to = BUFFER_AT(int16_t, args.to, int64_t(group_z()) * args.to_picture);
    const int32_t first = args.first.data[x];
    int32_t rows[ROWS];
    int32_t sums[ROWS];
    UNROLL for (int32_t r = 0; r < ROWS; ++r) {
      rows[r] = inside(first_row + r, args.height) * args.from_row;
      sums[r] = across_start(args.bit_depth, args.rounding);
    }
    for (int32_t k = 0; k < args.taps; ++k) {
      const int32_t column = inside(first + k, args.from_width);
      const int32_t weight = args.weights.data[k * args.columns + x];
      UNROLL for (int32_t r = 0; r < ROWS; ++r) {
        sums[r] += weight * centered(int32_t(from.data[rows[r] + column]), args.bit_depth);
      }
    }
    UNROLL for (int32_t r = 0; r < ROWS; ++r) {
      if (first_row + r < args.height)
        to.data[(first_row + r) * args.to_row + x] = int16_t(across_result(sums[r], args.bit_depth, args.rounding));
    }
  }
}
