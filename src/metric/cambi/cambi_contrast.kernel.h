// The contrasts of all scales (docs/spec/siblings.md 1.5).
//
// An item goes down ROWS pixels of a column, with the counts of the values that its pixel is compared with. Where the
// next pixel has the same value, as in flat areas, one row of the window leaves and one enters; else the window is
// counted anew. A workgroup's pixels and their windows are shared. STEPS: the most steps between values; 4, the
// default, has its counts in registers.
#include "metric/cambi/cambi_args.h"
#include "metric/cambi/cambi_math.kernel.h"

#define COUNTS 0x8000u  // kCambiCounts
#define MOST_RADIUS 32  // kCambiMaxWindow / 2
#define TILE_ROWS (BLOCK_Y * ROWS)
#define ITEMS (BLOCK_X * BLOCK_Y)
#define VALUES (2 * STEPS + 1)
#if STEPS == 4
#define EACH UNROLL for
#else
#define EACH for
#endif
#define FIELD 7u  // bits of a count in a packed row: at most 65

struct CambiContrastShared {
  uint16_t words[(TILE_ROWS + 2 * MOST_RADIUS) * (BLOCK_X + 2 * MOST_RADIUS)];
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(CambiContrastArgs, CambiContrastShared)

#include "metric/blocks/group_sum.kernel.h"

// How often value - STEPS to value + STEPS occur in a window.
struct CambiCounts {
  int32_t of[VALUES];
};

// What a workgroup has of a scale.
struct CambiPlace {
  int32_t scale;
  int32_t x;
  int32_t y;
};

FUNCTION(int32_t) geometry_of(CONTEXT(int32_t scale, int32_t number)) {
  return args.geometry.data[scale * CAMBI_GEOMETRY + number];
}

FUNCTION(CambiPlace) place_of_group(CONTEXT()) {
  CambiPlace place;
  place.scale = 0;
  for (int32_t i = 1; i < CAMBI_SCALES; ++i) {
    if (group_x() >= geometry_of(PASS(i, CAMBI_FIRST_TILE))) place.scale = i;
  }
  const int32_t tile = group_x() - geometry_of(PASS(place.scale, CAMBI_FIRST_TILE));
  const int32_t across = geometry_of(PASS(place.scale, CAMBI_TILES_ACROSS));
  place.x = tile % across * BLOCK_X;
  place.y = tile / across * TILE_ROWS;
  return place;
}

FUNCTION(int32_t) shared_row(CONTEXT()) { return BLOCK_X + 2 * args.radius; }

// Words that do not count become 0, as do those beyond the edges.
FUNCTION(void) load_words(CONTEXT(CambiPlace place)) {
  const int32_t width = geometry_of(PASS(place.scale, CAMBI_WIDTH));
  const int32_t height = geometry_of(PASS(place.scale, CAMBI_HEIGHT));
  const int32_t row = geometry_of(PASS(place.scale, CAMBI_ROW));
  const int64_t first = int64_t(group_z()) * args.pair_stride + int64_t(geometry_of(PASS(place.scale, CAMBI_FIRST)));
  CONST_BUFFER(uint16_t) words = CONST_BUFFER_AT(uint16_t, args.words, first);
  const int32_t columns = shared_row(PASS());
  const int32_t count = columns * (TILE_ROWS + 2 * args.radius);
  for (int32_t i = local_y() * BLOCK_X + local_x(); i < count; i += ITEMS) {
    const int32_t x = place.x + i % columns - args.radius;
    const int32_t y = place.y + i / columns - args.radius;
    uint32_t word = 0u;
    if (x >= 0 && y >= 0 && x < width && y < height) word = uint32_t(words.data[y * row + x]);
    group.words[i] = uint16_t((word & COUNTS) != 0u ? word : 0u);
  }
  group_barrier();
}

// Adds a row of the window, which begins at shared word `first`, `sign` times. lowest: the least value that counts.
#if STEPS == 4
FUNCTION(void) count_row(CONTEXT(IN_OUT(CambiCounts) counts, int32_t first, uint32_t lowest, int32_t sign)) {
  uint64_t packed = uint64_t(0u);
  for (int32_t i = 0; i <= 2 * args.radius; ++i) {
    const uint32_t place = uint32_t(group.words[first + i]) - lowest;
    packed += place < uint32_t(VALUES) ? uint64_t(1u) << (FIELD * place) : uint64_t(0u);
  }
  UNROLL for (int32_t i = 0; i < VALUES; ++i) {
    counts.of[i] += sign * int32_t(uint32_t(packed >> (FIELD * uint32_t(i))) & 127u);
  }
}
#else
FUNCTION(void) count_row(CONTEXT(IN_OUT(CambiCounts) counts, int32_t first, uint32_t lowest, int32_t sign)) {
  for (int32_t i = 0; i <= 2 * args.radius; ++i) {
    const uint32_t place = uint32_t(group.words[first + i]) - lowest;
    if (place < uint32_t(VALUES)) counts.of[int32_t(place)] += sign;
  }
}
#endif

FUNCTION(float) contrast_of(CONTEXT(IN_OUT(CambiCounts) counts, int32_t value)) {
  const int32_t own = counts.of[STEPS];
  float contrast = 0.0f;
  EACH(int32_t d = 0; d < STEPS; ++d) {
    if (d < args.contrast_count) {
      const int32_t above = counts.of[STEPS + d + 1];
      const int32_t below = counts.of[STEPS - d - 1];
      const int32_t other = above > below ? above : below;
      const float weight = args.weights.data[value * args.contrast_count + d];
      const float found = value_contrast(weight, float(own), float(other), args.reciprocals.data[own + other]);
      contrast = found > contrast ? found : contrast;
    }
  }
  return contrast;
}

KERNEL_MAIN() {
  const CambiPlace place = place_of_group(PASS());
  load_words(PASS(place));
  const int32_t columns = shared_row(PASS());
  const int32_t width = geometry_of(PASS(place.scale, CAMBI_WIDTH));
  const int32_t height = geometry_of(PASS(place.scale, CAMBI_HEIGHT));
  const int32_t row = geometry_of(PASS(place.scale, CAMBI_ROW));
  const int64_t first = int64_t(group_z()) * args.pair_stride + int64_t(geometry_of(PASS(place.scale, CAMBI_FIRST)));
  BUFFER(float) contrasts = BUFFER_AT(float, args.contrasts, first);
  const int32_t x = place.x + local_x();
  CambiCounts counts;
  EACH(int32_t i = 0; i < VALUES; ++i) counts.of[i] = 0;
  uint32_t counted = 0u;  // the word whose neighbours `counts` has
  uint64_t sum = uint64_t(0u);
  uint32_t present = 0u;
  for (int32_t r = 0; r < ROWS; ++r) {
    const int32_t tile_row = local_y() * ROWS + r;
    const int32_t y = place.y + tile_row;
    const int32_t corner = tile_row * columns + local_x();  // of the window
    const uint32_t word = uint32_t(group.words[corner + args.radius * columns + args.radius]);
    float contrast = 0.0f;
    if (word != 0u) {
      const uint32_t lowest = word - uint32_t(STEPS);
      int32_t begin = 0;
      if (word == counted) {
        count_row(PASS(counts, corner - columns, lowest, -1));
        begin = 2 * args.radius;
      } else {
        EACH(int32_t i = 0; i < VALUES; ++i) counts.of[i] = 0;
      }
      for (int32_t i = begin; i <= 2 * args.radius; ++i) count_row(PASS(counts, corner + i * columns, lowest, 1));
      contrast = contrast_of(PASS(counts, int32_t(word & (COUNTS - 1u))));
    }
    counted = word;
    if (x < width && y < height) {
      contrasts.data[y * row + x] = contrast;
      sum += uint64_t(contrast * 16777216.0f);  // exact: kCambiFractionBits
      present += contrast > 0.0f ? 1u : 0u;
    }
  }
  sum = group_sum(PASS(sum));
  const uint64_t total_present = group_sum(PASS(uint64_t(present)));
  if (local_x() == 0 && local_y() == 0) {
    const int32_t at = 2 * (group_z() * groups_x() + group_x());
    args.tile_sums.data[at] = sum;
    args.tile_sums.data[at + 1] = total_present;
  }
}
