// The contrasts of all scales (docs/spec/siblings.md 1.5).
//
// A workgroup goes down ROWS rows of a tile. It shares, for each column of the tile and of what its windows reach, how
// often values occur in the rows of the window: the next row enters, the last one leaves, and nothing else
// changes. An item adds up the columns of its pixel's window. The counts have room for some
// of the values; a tile with more of them is gone through again for the rest.
//
// STEPS: the most steps between values. With 4, the default, an item adds the counts of its nine values at once.
#include "metric/cambi/cambi_args.h"
#include "metric/cambi/cambi_math.kernel.h"

#define COUNTS 0x8000u    // kCambiCounts
#define MOST_RADIUS 32    // kCambiMaxWindow / 2
#define NO_VALUE 0xffffu  // above all values
#define TRACKED 128       // values that are counted at a time, four in a word: a column's count fits a byte
#define STRIDE 33         // words of a column; one more, for the banks
#define CENTRES (TRACKED - 2 * STEPS)  // of these, those whose steps are counted, too
#define ITEM_COLUMNS ((BLOCK_X + 2 * MOST_RADIUS + BLOCK_X - 1) / BLOCK_X)
#define PACK 3  // columns that are added up in one go

struct CambiContrastShared {
  uint32_t counts[(BLOCK_X + 2 * MOST_RADIUS) * STRIDE], lowest[BLOCK_X];
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(CambiContrastArgs, CambiContrastShared)

#include "metric/blocks/group_sum.kernel.h"

// A workgroup's tile of a scale.
struct CambiTile {
  int32_t x, y, rows;
  int32_t width;  // of the scale
  int32_t height, row;
  int32_t first;  // word
};

// A row's words in the columns that an item counts.
struct CambiColumnWords {
  uint32_t of[ITEM_COLUMNS];
};

// How often value - STEPS to value + STEPS occur in a window.
struct CambiCounts {
  int32_t of[2 * STEPS + 1];
};

FUNCTION(int32_t) geometry_of(CONTEXT(int32_t scale, int32_t number)) {
  return args.geometry.data[scale * CAMBI_GEOMETRY + number];
}

FUNCTION(CambiTile) tile_of_group(CONTEXT()) {
  int32_t scale = 0;
  for (int32_t i = 1; i < CAMBI_SCALES; ++i) {
    if (group_x() >= geometry_of(PASS(i, CAMBI_FIRST_TILE))) scale = i;
  }
  const int32_t tile = group_x() - geometry_of(PASS(scale, CAMBI_FIRST_TILE));
  const int32_t across = geometry_of(PASS(scale, CAMBI_TILES_ACROSS));
  CambiTile place;
  place.x = tile % across * BLOCK_X;
  place.y = tile / across * ROWS;
  place.width = geometry_of(PASS(scale, CAMBI_WIDTH));
  place.height = geometry_of(PASS(scale, CAMBI_HEIGHT));
  place.row = geometry_of(PASS(scale, CAMBI_ROW));
  place.first = geometry_of(PASS(scale, CAMBI_FIRST));
  place.rows = smaller_of(ROWS, place.height - place.y);
  return place;
}

// The least value of the tile's pixels that is not below `least`; NO_VALUE where there is none.
FUNCTION(uint32_t) next_value(CONTEXT(CONST_BUFFER(uint16_t) words, CambiTile tile, uint32_t least)) {
  const int32_t x = tile.x + local_x();
  uint32_t lowest = NO_VALUE;
  if (x < tile.width) {
    for (int32_t r = 0; r < tile.rows; ++r) {
      const uint32_t word = uint32_t(words.data[(tile.y + r) * tile.row + x]);
      const uint32_t value = word & (COUNTS - 1u);
      if ((word & COUNTS) != 0u && value >= least && value < lowest) lowest = value;
    }
  }
  group.lowest[local_x()] = lowest;
  group_barrier();
  for (int32_t i = 0; i < BLOCK_X; ++i) {
    const uint32_t other = group.lowest[i];
    lowest = other < lowest ? other : lowest;
  }
  group_barrier();
  return lowest;
}

// 0 beyond the edges.
FUNCTION(CambiColumnWords) row_words(CONTEXT(CONST_BUFFER(uint16_t) words, CambiTile tile, int32_t y)) {
  CambiColumnWords made;
  UNROLL for (int32_t i = 0; i < ITEM_COLUMNS; ++i) {
    const int32_t column = local_x() + i * BLOCK_X;
    const int32_t x = tile.x + column - args.radius;
    made.of[i] = 0u;
    if (column < BLOCK_X + 2 * args.radius && x >= 0 && y >= 0 && x < tile.width && y < tile.height) {
      made.of[i] = uint32_t(words.data[y * tile.row + x]);
    }
  }
  return made;
}

// Counts a row's words `times` times, of which 0 and 2^32 - 1, which stands for -1, are used, too. lowest: the least
// value that is counted. Words that do not count are far from all values.
FUNCTION(void) count_words(CONTEXT(CambiColumnWords words, uint32_t lowest, uint32_t times)) {
  UNROLL for (int32_t i = 0; i < ITEM_COLUMNS; ++i) {
    const uint32_t place = words.of[i] - COUNTS - lowest;
    if (place < uint32_t(TRACKED)) {
      const int32_t at = (local_x() + i * BLOCK_X) * STRIDE + int32_t(place >> 2);
      group.counts[at] += times << (8u * (place & 3u));
    }
  }
}

#if STEPS == 4
#define LOW_FIELDS 0x00ff00ffu

// Three words of counts, of bytes or of the bytes 0 and 2 and the others of each.
struct CambiBytes {
  uint32_t of[3];
};
struct CambiFields {
  uint32_t even[3], odd[3];
};

// Adds PACK columns.
FUNCTION(void) add_pack(CONTEXT(IN_OUT(CambiBytes) bytes, int32_t at)) {
  UNROLL for (int32_t i = 0; i < PACK; ++i) {
    UNROLL for (int32_t w = 0; w < 3; ++w) bytes.of[w] += group.counts[at + i * STRIDE + w];
  }
}

FUNCTION(void) widen(IN_OUT(CambiFields) fields, CambiBytes bytes) {
  UNROLL for (int32_t w = 0; w < 3; ++w) {
    fields.even[w] += bytes.of[w] & LOW_FIELDS;
    fields.odd[w] += (bytes.of[w] >> 8) & LOW_FIELDS;
  }
}

// The sums of the window's columns. args.packs times PACK columns add up as bytes.
FUNCTION(CambiFields) add_columns(CONTEXT(int32_t first)) {
  const int32_t end = first + (2 * args.radius + 1) * STRIDE;
  int32_t at = first;
  CambiFields fields;
  UNROLL for (int32_t w = 0; w < 3; ++w) {
    fields.even[w] = 0u;
    fields.odd[w] = 0u;
  }
  while (args.packs > 1 && at + (2 * PACK - 1) * STRIDE < end) {
    CambiBytes bytes = {{0u, 0u, 0u}};
    add_pack(PASS(bytes, at));
    add_pack(PASS(bytes, at + PACK * STRIDE));
    widen(fields, bytes);
    at += 2 * PACK * STRIDE;
  }
  while (at + (PACK - 1) * STRIDE < end) {
    CambiBytes bytes = {{0u, 0u, 0u}};
    add_pack(PASS(bytes, at));
    widen(fields, bytes);
    at += PACK * STRIDE;
  }
  for (; at < end; at += STRIDE) {
    CambiBytes bytes;
    UNROLL for (int32_t w = 0; w < 3; ++w) bytes.of[w] = group.counts[at + w];
    widen(fields, bytes);
  }
  return fields;
}

// place: of value - STEPS among the values that are counted.
FUNCTION(CambiCounts) counts_at(CONTEXT(uint32_t place)) {
  const CambiFields fields = add_columns(PASS(local_x() * STRIDE + int32_t(place >> 2)));
  uint32_t pairs[6];  // of neighbouring values
  UNROLL for (int32_t w = 0; w < 3; ++w) {
    pairs[2 * w] = (fields.even[w] & 0xffffu) | (fields.odd[w] << 16);
    pairs[2 * w + 1] = (fields.even[w] >> 16) | (fields.odd[w] & 0xffff0000u);
  }
  const bool skips_pair = (place & 2u) != 0u;
  const bool skips_one = (place & 1u) != 0u;
  UNROLL for (int32_t i = 0; i < 5; ++i) {
    if (skips_pair) pairs[i] = pairs[i + 1];
  }
  CambiCounts counts;
  UNROLL for (int32_t i = 0; i < 4; ++i) {
    const uint32_t low = skips_one ? pairs[i] >> 16 : pairs[i] & 0xffffu;
    const uint32_t high = skips_one ? pairs[i + 1] & 0xffffu : pairs[i] >> 16;
    counts.of[2 * i] = int32_t(low);
    counts.of[2 * i + 1] = int32_t(high);
  }
  counts.of[8] = int32_t(skips_one ? pairs[4] >> 16 : pairs[4] & 0xffffu);
  return counts;
}
#define EACH UNROLL for
#else
FUNCTION(CambiCounts) counts_at(CONTEXT(uint32_t place)) {
  CambiCounts counts;
  for (int32_t i = 0; i < 2 * STEPS + 1; ++i) {
    const uint32_t value = place + uint32_t(i);
    const int32_t first = local_x() * STRIDE + int32_t(value >> 2);
    uint32_t sum = 0u;
    for (int32_t c = 0; c <= 2 * args.radius; ++c) {
      sum += (group.counts[first + c * STRIDE] >> (8u * (value & 3u))) & 0xffu;
    }
    counts.of[i] = int32_t(sum);
  }
  return counts;
}
#define EACH for
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
  const CambiTile tile = tile_of_group(PASS());
  const int64_t first = int64_t(group_z()) * args.pair_stride + int64_t(tile.first);
  CONST_BUFFER(uint16_t) words = CONST_BUFFER_AT(uint16_t, args.words, first);
  BUFFER(float) contrasts = BUFFER_AT(float, args.contrasts, first);
  const int32_t x = tile.x + local_x();
  for (int32_t r = 0; r < tile.rows; ++r) {
    const int32_t at = (tile.y + r) * tile.row + x;
    if (x < tile.width && (uint32_t(words.data[at]) & COUNTS) == 0u) contrasts.data[at] = 0.0f;
  }
  uint64_t sum = uint64_t(0u);
  uint32_t present = 0u;
  uint32_t value = next_value(PASS(words, tile, 0u));
  while (value != NO_VALUE) {
    const uint32_t lowest = value - uint32_t(STEPS);
    for (int32_t column = local_x(); column < BLOCK_X + 2 * args.radius; column += BLOCK_X) {
      for (int32_t i = 0; i < STRIDE; ++i) group.counts[column * STRIDE + i] = 0u;
    }
    for (int32_t y = tile.y - args.radius; y < tile.y + args.radius; ++y) {
      count_words(PASS(row_words(PASS(words, tile, y)), lowest, 1u));
    }
    CambiColumnWords entering = row_words(PASS(words, tile, tile.y + args.radius));
    CambiColumnWords leaving = row_words(PASS(words, tile, -1));
    for (int32_t r = 0; r < tile.rows; ++r) {
      const int32_t y = tile.y + r;
      count_words(PASS(entering, lowest, 1u));
      count_words(PASS(leaving, lowest, 0xffffffffu));
      group_barrier();
      entering = row_words(PASS(words, tile, y + args.radius + 1));  // read long before they are counted
      leaving = row_words(PASS(words, tile, y - args.radius));
      if (x < tile.width) {
        const uint32_t own = uint32_t(words.data[y * tile.row + x]) - COUNTS;
        const uint32_t place = own - value;
        if (place < uint32_t(CENTRES)) {
          CambiCounts counts = counts_at(PASS(place));
          const float contrast = contrast_of(PASS(counts, int32_t(own)));
          contrasts.data[y * tile.row + x] = contrast;
          sum += uint64_t(contrast * 16777216.0f);  // exact: kCambiFractionBits
          present += contrast > 0.0f ? 1u : 0u;
        }
      }
      group_barrier();
    }
    value = next_value(PASS(words, tile, value + uint32_t(CENTRES)));
  }
  sum = group_sum(PASS(sum));
  const uint64_t total_present = group_sum(PASS(uint64_t(present)));
  if (local_x() == 0) {
    const int32_t at = 2 * (group_z() * groups_x() + group_x());
    args.tile_sums.data[at] = sum;
    args.tile_sums.data[at + 1] = total_present;
  }
}
