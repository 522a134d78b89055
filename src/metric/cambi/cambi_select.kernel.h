// Looks for the smallest contrast that counts, where more are above 0 than count: a round of six bits, or, as the last
// round, the sum of the contrasts above it. Workgroup (i, j, z) has rows i, i + parts... of scale j of pair z.
//
// Items have histograms of their own, which no other one writes.
#include "metric/cambi/cambi_args.h"

struct CambiSelectShared {
  uint32_t counts[CAMBI_BUCKETS][BLOCK_X + 1];  // one more: for the banks
  uint32_t buckets[CAMBI_BUCKETS];
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(CambiSelectArgs, CambiSelectShared)

#include "metric/blocks/group_sum.kernel.h"
#include "metric/cambi/cambi_boundary.kernel.h"

// Where the items' rows of the scale begin.
FUNCTION(CONST_BUFFER(float)) contrasts_of(CONTEXT(int32_t scale)) {
  const int64_t first = int64_t(args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_FIRST]);
  return CONST_BUFFER_AT(float, args.contrasts, int64_t(group_z()) * args.pair_stride + first);
}

FUNCTION(void) make_histogram(CONTEXT(int32_t scale, uint32_t known)) {
  CONST_BUFFER(float) contrasts = contrasts_of(PASS(scale));
  const int32_t width = args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_WIDTH];
  const int32_t height = args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_HEIGHT];
  const int32_t row = args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_ROW];
  const int32_t shift = shift_of_round(args.round);
  for (int32_t i = 0; i < CAMBI_BUCKETS; ++i) group.counts[i][local_x()] = 0u;
  for (int32_t y = group_x(); y < height; y += args.parts) {
    for (int32_t x = local_x(); x < width; x += BLOCK_X) {
      const float contrast = contrasts.data[y * row + x];
      const uint32_t bits = float_bits(contrast) - HALF_BITS;
      if (contrast > 0.0f && (args.round == 0 || bits >> (shift + 6) == known)) {
        const int32_t bucket = int32_t((bits >> shift) & uint32_t(CAMBI_BUCKETS - 1));
        group.counts[bucket][local_x()] += 1u;
      }
    }
  }
  group_barrier();
  if (local_x() < CAMBI_BUCKETS) {
    uint32_t sum = 0u;
    for (int32_t i = 0; i < BLOCK_X; ++i) sum += group.counts[local_x()][i];
    const int32_t histogram = (group_z() * CAMBI_SCALES + scale) * CAMBI_ROUNDS + args.round;
    args.histograms.data[(histogram * args.parts + group_x()) * CAMBI_BUCKETS + local_x()] = sum;
  }
}

FUNCTION(void) sum_above(CONTEXT(int32_t scale, uint32_t smallest)) {
  CONST_BUFFER(float) contrasts = contrasts_of(PASS(scale));
  const int32_t width = args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_WIDTH];
  const int32_t height = args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_HEIGHT];
  const int32_t row = args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_ROW];
  uint64_t sum = uint64_t(0u);
  for (int32_t y = group_x(); y < height; y += args.parts) {
    for (int32_t x = local_x(); x < width; x += BLOCK_X) {
      const float contrast = contrasts.data[y * row + x];
      const bool is_above = contrast > 0.0f && float_bits(contrast) - HALF_BITS > smallest;
      if (is_above) sum += uint64_t(contrast * 16777216.0f);
    }
  }
  sum = group_sum(PASS(sum));
  if (local_x() == 0) args.part_sums.data[(group_z() * CAMBI_SCALES + scale) * args.parts + group_x()] = sum;
}

KERNEL_MAIN() {
  const int32_t scale = group_y();
  const uint64_t present = args.totals.data[2 * (group_z() * CAMBI_SCALES + scale) + 1];
  const int32_t count = args.geometry.data[scale * CAMBI_GEOMETRY + CAMBI_TOP_COUNT];
  if (present > uint64_t(uint32_t(count))) {
    const CambiBoundary boundary = find_boundary(PASS(scale, args.round, uint32_t(count)));
    if (args.round < CAMBI_ROUNDS) {
      make_histogram(PASS(scale, boundary.bits));
    } else {
      sum_above(PASS(scale, boundary.bits));
    }
  }
}
