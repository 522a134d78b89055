// The sums of all contrasts of each scale: workgroup (i, 0, z) adds up the tiles of scale i of pair z.
#include "metric/cambi/cambi_args.h"

struct CambiTotalsShared {
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(CambiTotalsArgs, CambiTotalsShared)

#include "metric/blocks/group_sum.kernel.h"

KERNEL_MAIN() {
  const int32_t scale = group_x();
  const int32_t first = args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_FIRST_TILE];
  const int32_t next = args.geometry.data[(scale + 1) * CAMBI_GEOMETRY + CAMBI_FIRST_TILE];
  uint64_t sum = uint64_t(0u);
  uint64_t present = uint64_t(0u);
  for (int32_t tile = first + local_x(); tile < next; tile += BLOCK_X) {
    const int32_t at = 2 * (group_z() * args.tiles + tile);
    sum += args.tile_sums.data[at];
    present += args.tile_sums.data[at + 1];
  }
  sum = group_sum(PASS(sum));
  present = group_sum(PASS(present));
  if (local_x() == 0) {
    const int32_t at = 2 * (group_z() * CAMBI_SCALES + scale);
    args.totals.data[at] = sum;
    args.totals.data[at + 1] = present;
  }
}
