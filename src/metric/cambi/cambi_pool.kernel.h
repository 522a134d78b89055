// The sum of the contrasts that count: workgroup (i, 0, z) makes that of scale i of pair z.
#include "metric/cambi/cambi_args.h"

struct CambiPoolShared {
  uint32_t buckets[CAMBI_BUCKETS];
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(CambiPoolArgs, CambiPoolShared)

#include "metric/blocks/group_sum.kernel.h"
#include "metric/cambi/cambi_boundary.kernel.h"

KERNEL_MAIN() {
  const int32_t scale = group_x();
  const int32_t at = group_z() * CAMBI_SCALES + scale;
  const uint32_t count = uint32_t(args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_TOP_COUNT]);
  uint64_t sum = args.totals.data[2 * at];
  if (args.totals.data[2 * at + 1] > uint64_t(count)) {
    const CambiBoundary boundary = find_boundary(PASS(scale, CAMBI_ROUNDS, count));
    sum = uint64_t(0u);
    for (int32_t i = local_x(); i < args.parts; i += BLOCK_X) sum += args.part_sums.data[at * args.parts + i];
    sum = group_sum(PASS(sum));
    const float smallest = bits_float(HALF_BITS + boundary.bits);
    sum += uint64_t(boundary.left) * uint64_t(smallest * 16777216.0f);
  }
  if (local_x() == 0) {
    const int32_t word = group_z() * args.words_per_pair + args.first_word + 2 * scale;
    args.words.data[word] = int64_t(sum >> 24);
    args.words.data[word + 1] = int64_t(sum & uint64_t(0xffffffu));
  }
}
