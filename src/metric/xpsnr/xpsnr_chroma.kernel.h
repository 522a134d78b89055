// The squared error of a block of a chroma plane (docs/spec/beyond.md 2.3). A workgroup goes over a block, which may be
// empty. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/xpsnr/xpsnr_args.h"
#include "metric/xpsnr/xpsnr_math.kernel.h"

struct XpsnrChromaShared {
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(XpsnrChromaArgs, XpsnrChromaShared)

#include "metric/blocks/group_sum.kernel.h"

FUNCTION(int32_t) at_most(int32_t value, int32_t most) { return value > most ? most : value; }

KERNEL_MAIN() {
  CONST_BUFFER(PIXEL)
  reference =
      CONST_BUFFER_AT(PIXEL, args.reference, int64_t(reference_of(group_z(), args.inverse)) * args.picture_stride);
  CONST_BUFFER(PIXEL) distorted = CONST_BUFFER_AT(PIXEL, args.distorted, int64_t(group_z()) * args.picture_stride);
  const int32_t x0 = at_most(group_x() * args.block_width, args.width);
  const int32_t y0 = at_most(group_y() * args.block_height, args.height);
  const int32_t x1 = at_most((group_x() + 1) * args.block_width, args.width);
  const int32_t y1 = at_most((group_y() + 1) * args.block_height, args.height);
  uint64_t error = uint64_t(0u);
  for (int32_t y = y0 + local_y(); y < y1; y += BLOCK_Y) {
    for (int32_t x = x0 + local_x(); x < x1; x += BLOCK_X) {
      const int32_t i = y * args.row_stride + x;
      error += squared_error(int32_t(reference.data[i]), int32_t(distorted.data[i]));
    }
  }
  const uint64_t sum = group_sum(PASS(error));
  if (local_x() == 0 && local_y() == 0) {
    const int32_t block = group_y() * groups_x() + group_x();
    BUFFER(int64_t) words = BUFFER_AT(int64_t, args.words, int64_t(group_z() * args.pair_words + block * XPSNR_WORDS));
    words.data[args.word] = int64_t(sum);
    if (args.counts_size == 1) words.data[XPSNR_CHROMA] = int64_t((x1 - x0) * (y1 - y0));
  }
}
