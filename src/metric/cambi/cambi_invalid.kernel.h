// How many samples are above the bit depth. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/cambi/cambi_prepare_args.h"

struct CambiInvalidShared {
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(CambiInvalidArgs, CambiInvalidShared)

#include "metric/blocks/partial_sums.kernel.h"

KERNEL_MAIN() {
  const int64_t picture = int64_t(reference_of(group_z(), args.inverse)) * args.picture_stride;
  CONST_BUFFER(PIXEL) samples = CONST_BUFFER_AT(PIXEL, args.samples, picture);
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first_row = group_y() * BLOCK_Y * ROWS + local_y();
  uint32_t count = 0u;
  for (int32_t r = 0; r < ROWS; ++r) {
    const int32_t y = first_row + r * BLOCK_Y;
    if (x < args.width && y < args.height && int32_t(samples.data[y * args.row_stride + x]) > args.largest) ++count;
  }
  store_partial_sum(PASS(uint64_t(count)));
}
