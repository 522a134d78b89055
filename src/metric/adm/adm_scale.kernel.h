// One scale of ADM, from samples (or band a of the scale before) to sums of rows, and to band a for the next scale.
//
// A workgroup makes a tile of detail bands of both pictures: filters down the columns go to shared memory, filters
// along the rows, decoupling and weights stay in registers; what a sample adds to its neighbours' thresholds is shared.
// An item has ROWS positions of one row, BLOCK_X columns apart. A row's sum is rounded as a whole, so tiles store one
// sum for each of their rows (adm_sum.kernel.h continues). Tiles beyond the scored middle make band a alone.
//
// SCALE: 0 to 3; SAMPLE_BITS, at scale 0: 8 or 16.
#if SCALE == 0 && SAMPLE_BITS == 8
#define PAIR uint16_t
#elif SCALE <= 1
#define PAIR uint32_t
#else
#define PAIR uint64_t
#endif
#if SCALE == 0
#define LOW int16_t
#else
#define LOW int32_t
#endif
#if SCALE <= 1
#define WORD uint32_t
#else
#define WORD uint64_t
#endif

#include "metric/adm/adm_scale_args.h"

#define TILE_COLUMNS (BLOCK_X * ROWS)
#define TILE_ROWS BLOCK_Y
// Filtered columns in planes of words: at scale 0 both bands of even columns, of odd columns; else low and high of even
// columns, of odd ones. Half a wave of 32 reads the row below the other half's: they shall lie in different banks.
#define STRIDE (BLOCK_X == 16 ? TILE_COLUMNS + 16 : TILE_COLUMNS)
#define PLANE (TILE_ROWS * STRIDE)
#define COLUMN_WORDS (SCALE == 0 ? 2 * PLANE : 4 * PLANE)
// Then sums of items, in two halves of 32 bits; one row more, again for the banks.
#define SUM_PLACES (BLOCK_X * (BLOCK_Y + 1))
#define SUM_WORDS (2 * ADM_TILE_SUMS * SUM_PLACES)

struct AdmScaleShared {
  uint64_t shares[TILE_ROWS][TILE_COLUMNS];  // to the thresholds of neighbours: additive below, restored above
  uint32_t words[COLUMN_WORDS > SUM_WORDS ? COLUMN_WORDS : SUM_WORDS];
};

KERNEL_USES(AdmScaleArgs, AdmScaleShared)

#include "metric/adm/adm_decouple.kernel.h"
#include "metric/adm/adm_wavelet.kernel.h"
#include "metric/blocks/reference_of.kernel.h"

// One entry for each of an item's positions.
struct AdmDetail {
  AdmBands at[ROWS];
};
struct AdmAligned {
  int32_t at[ROWS];  // ALIGNED_NO ...
};
struct AdmThresholds {
  int32_t num;
  int32_t aim;
};
struct AdmSums {
  uint64_t of[ADM_TILE_SUMS];  // num, aim, den: h, v, d each
};

FUNCTION(int32_t) band_width(CONTEXT()) { return (args.in_width + 1) / 2; }
FUNCTION(int32_t) band_height(CONTEXT()) { return (args.in_height + 1) / 2; }

FUNCTION(int32_t) column_of(int32_t j) { return local_x() + BLOCK_X * j; }
FUNCTION(bool) in_core(int32_t column) {
  return column >= ADM_MARGIN_COLUMNS && column < TILE_COLUMNS - ADM_MARGIN_COLUMNS && local_y() >= ADM_MARGIN_ROWS &&
         local_y() < TILE_ROWS - ADM_MARGIN_ROWS;
}

// Whether a position is scored, in a tile that has scored positions.
FUNCTION(bool) is_scored(CONTEXT(int32_t column)) {
  const int32_t x = first_column_of_tile();
  const int32_t y = first_row_of_tile() + local_y();
  const int32_t first = larger(args.first_column - x, ADM_MARGIN_COLUMNS);
  const int32_t end = -larger(x - args.end_column, ADM_MARGIN_COLUMNS - TILE_COLUMNS);
  const bool row = local_y() >= ADM_MARGIN_ROWS && local_y() < TILE_ROWS - ADM_MARGIN_ROWS && y >= args.first_row &&
                   y < args.end_row;
  return row && uint32_t(column - first) < uint32_t(end - first);
}

FUNCTION(bool) tile_is_scored(CONTEXT()) {
  const int32_t x = first_column_of_tile();
  const int32_t y = first_row_of_tile();
  return x + TILE_COLUMNS - ADM_MARGIN_COLUMNS > args.first_column && x + ADM_MARGIN_COLUMNS < args.end_column &&
         y + TILE_ROWS - ADM_MARGIN_ROWS > args.first_row && y + ADM_MARGIN_ROWS < args.end_row;
}

// Where the filtered columns of a position stand. Beyond the band's edge: those of the sample that is read instead.
FUNCTION(int32_t) place_of(CONTEXT(int32_t column)) {
  const int32_t x = first_column_of_tile() + column;
  const int32_t y = first_row_of_tile() + local_y();
  const int32_t inside = column + wavelet_index(x, band_width(PASS())) - x;
  const int32_t row = local_y() + wavelet_index(y, band_height(PASS())) - y;
  const int32_t last = TILE_COLUMNS - 2;
  const int32_t clamped = inside < 1 ? 1 : (inside > last ? last : inside);
  return (row < 0 ? 0 : (row >= TILE_ROWS ? TILE_ROWS - 1 : row)) * STRIDE + clamped;
}

#if SCALE < 3
FUNCTION(void) write_low(CONTEXT(int32_t picture)) {
  const int64_t first = int64_t(2 * group_z() + picture) * int64_t(args.low_picture_stride);
  BUFFER(LOW) low = BUFFER_AT(LOW, args.low, first);
  const int32_t y = first_row_of_tile() + local_y();
  const int32_t stored_width = (band_width(PASS()) + 1) / 2 * 2;  // the next scale reads pairs
  UNROLL for (int32_t j = 0; j < ROWS; ++j) {
    const int32_t x = first_column_of_tile() + column_of(j);
    if (in_core(column_of(j)) && x < stored_width && y < band_height(PASS())) {
      low.data[y * args.low_row_stride + x] = LOW(low_band(PASS(place_of(PASS(column_of(j))))));
    }
  }
}
#endif

FUNCTION(AdmDetail) read_detail(CONTEXT()) {
  AdmDetail detail;
  UNROLL for (int32_t j = 0; j < ROWS; ++j) detail.at[j] = detail_bands(PASS(place_of(PASS(column_of(j)))));
  return detail;
}

FUNCTION(uint32_t) factor_of(CONTEXT(int32_t band)) { return band == 2 ? args.diagonal_factor : args.factor; }

// The share that a sample adds to its neighbours' thresholds.
FUNCTION(uint64_t) neighbour_shares(CONTEXT(AdmBands signal)) {
  int32_t sum = 0;
  UNROLL for (int32_t i = 0; i < ADM_BANDS; ++i) {
    sum += neighbour_share(SCALE, weighted(SCALE, signal.band[i], factor_of(PASS(i)), i));
  }
  return uint64_t(uint32_t(sum));
}

// Stores the shares of all positions of the item.
FUNCTION(void) share_all(CONTEXT(AdmDetail restored, AdmDetail additive)) {
  UNROLL for (int32_t j = 0; j < ROWS; ++j) {
    uint64_t shares = neighbour_shares(PASS(additive.at[j]));
    if (args.aim != 0) shares |= neighbour_shares(PASS(restored.at[j])) << 32;
    group.shares[local_y()][column_of(j)] = shares;
  }
}

// Sums over the eight neighbours of a position.
FUNCTION(AdmThresholds) thresholds_around(CONTEXT(int32_t column)) {
  AdmThresholds sums;
  sums.num = 0;
  sums.aim = 0;
  UNROLL for (int32_t dy = -1; dy <= 1; ++dy) {
    UNROLL for (int32_t dx = -1; dx <= 1; ++dx) {
      if (dy != 0 || dx != 0) {
        const uint64_t shares = group.shares[local_y() + dy][column + dx];
        sums.num += int32_t(uint32_t(shares));
        sums.aim += int32_t(uint32_t(shares >> 32));
      }
    }
  }
  return sums;
}

FUNCTION(int32_t) centre_shares(CONTEXT(AdmBands signal)) {
  int32_t sum = 0;
  UNROLL for (int32_t i = 0; i < ADM_BANDS; ++i) {
    sum += centre_share(SCALE, weighted(SCALE, signal.band[i], factor_of(PASS(i)), i));
  }
  return sum;
}

FUNCTION(void) add_masked(CONTEXT(IN_OUT(AdmSums) sums, int32_t first, AdmBands signal, int32_t threshold)) {
  UNROLL for (int32_t i = 0; i < ADM_BANDS; ++i) {
    const uint32_t value = masked_value(SCALE, signal.band[i], factor_of(PASS(i)), i);
    sums.of[first + i] += masked_cube(SCALE, value, threshold, i, cube_shift(SCALE, i, args.cube_shift));
  }
}

FUNCTION(void) add_reference(CONTEXT(IN_OUT(AdmSums) sums, AdmDetail o)) {
  UNROLL for (int32_t j = 0; j < ROWS; ++j) {
    if (is_scored(PASS(column_of(j)))) {
      UNROLL for (int32_t i = 0; i < ADM_BANDS; ++i) {
        sums.of[2 * ADM_BANDS + i] += reference_cube(SCALE, magnitude_of(o.at[j].band[i]), args.den_cube_shift);
      }
    }
  }
}

FUNCTION(void) add_signals(CONTEXT(IN_OUT(AdmSums) sums, AdmDetail restored, AdmDetail additive)) {
  UNROLL for (int32_t j = 0; j < ROWS; ++j) {
    if (is_scored(PASS(column_of(j)))) {
      const AdmThresholds around = thresholds_around(PASS(column_of(j)));
      add_masked(PASS(sums, 0, restored.at[j], around.num + centre_shares(PASS(additive.at[j]))));
      if (args.aim != 0) {
        add_masked(PASS(sums, ADM_BANDS, additive.at[j], around.aim + centre_shares(PASS(restored.at[j]))));
      }
    }
  }
}

// Adds the items' sums along each row. The filtered columns are no longer needed where the sums stand now.
FUNCTION(void) store_row_sums(CONTEXT(AdmSums sums)) {
  UNROLL for (int32_t k = 0; k < ADM_TILE_SUMS; ++k) {
    const int32_t place = k * SUM_PLACES + local_x() * (BLOCK_Y + 1) + local_y();
    group.words[place] = uint32_t(sums.of[k]);
    group.words[SUM_WORDS / 2 + place] = uint32_t(sums.of[k] >> 32);
  }
  group_barrier();
  const int32_t core = TILE_COLUMNS - 2 * ADM_MARGIN_COLUMNS;
  const int32_t first_tile = args.first_column / core;
  const int32_t tiles = (args.end_column - 1) / core - first_tile + 1;
  const int32_t rows = args.end_row - args.first_row;
  for (int32_t i = item(); i < ADM_TILE_SUMS * TILE_ROWS; i += BLOCK_X * BLOCK_Y) {
    const int32_t k = i / TILE_ROWS;
    const int32_t row = i % TILE_ROWS;
    const int32_t y = first_row_of_tile() + row;
    if (row >= ADM_MARGIN_ROWS && row < TILE_ROWS - ADM_MARGIN_ROWS && y >= args.first_row && y < args.end_row) {
      uint64_t sum = uint64_t(0u);
      for (int32_t x = 0; x < BLOCK_X; ++x) {
        const int32_t place = k * SUM_PLACES + x * (BLOCK_Y + 1) + row;
        sum += uint64_t(group.words[place]) | (uint64_t(group.words[SUM_WORDS / 2 + place]) << 32);
      }
      args.row_sums.data[group_z() * args.row_sums_per_frame + (k * tiles + group_x() - first_tile) * rows + y -
                         args.first_row] = sum;
    }
  }
}

FUNCTION(AdmGain) gain_limit(CONTEXT()) {
  AdmGain gain;
  gain.integer = uint32_t(args.integer_gain);
  gain.high = args.gain_high;
  gain.low = args.gain_low;
  gain.shift = args.gain_shift;
  return gain;
}

FUNCTION(AdmAligned) test_angles(AdmDetail o, AdmDetail t) {
  AdmAligned aligned;
  UNROLL for (int32_t j = 0; j < ROWS; ++j) aligned.at[j] = test_angle(o.at[j], t.at[j]);
  return aligned;
}

// The restored part of t. Rare positions go one by one through the single copy of the slow path.
FUNCTION(AdmDetail) decouple(AdmDetail o, AdmDetail t, AdmGain gain) {
  const AdmAligned aligned = test_angles(o, t);
  AdmDetail restored;
  uint32_t slow = 0u;
  UNROLL for (int32_t j = 0; j < ROWS; ++j) {
    UNROLL for (int32_t i = 0; i < ADM_BANDS; ++i) {
      restored.at[j].band[i] =
          restore_fast(o.at[j].band[i], t.at[j].band[i], aligned.at[j] == ALIGNED_YES, int32_t(gain.integer));
    }
    if (!decouples_fast(o.at[j], aligned.at[j], gain)) slow |= 1u << j;
  }
  while (slow != 0u) {
    const int32_t next = 31 - leading_zeros(slow);
    AdmBands next_o = o.at[0];
    AdmBands next_t = t.at[0];
    UNROLL for (int32_t j = 1; j < ROWS; ++j) {
      if (j == next) next_o = o.at[j];
      if (j == next) next_t = t.at[j];
    }
    const AdmBands exact = decouple_exactly(next_o, next_t, gain);
    UNROLL for (int32_t j = 0; j < ROWS; ++j) {
      if (j == next) restored.at[j] = exact;
    }
    slow &= ~(1u << next);
  }
  return restored;
}

// `o`: the reference's detail; the distorted picture's columns stand filtered.
FUNCTION(void) score(CONTEXT(AdmDetail o)) {
  const AdmDetail t = read_detail(PASS());
  const AdmDetail restored = decouple(o, t, gain_limit(PASS()));
  AdmDetail additive;
  UNROLL for (int32_t j = 0; j < ROWS; ++j) {
    UNROLL for (int32_t i = 0; i < ADM_BANDS; ++i) {
      additive.at[j].band[i] = t.at[j].band[i] - restored.at[j].band[i];
    }
  }
  share_all(PASS(restored, additive));
  AdmSums sums;
  UNROLL for (int32_t k = 0; k < ADM_TILE_SUMS; ++k) sums.of[k] = uint64_t(0u);
  add_reference(PASS(sums, o));
  group_barrier();
  add_signals(PASS(sums, restored, additive));
  store_row_sums(PASS(sums));
}

// The samples of the reference are there once for all videos, its bands once for each pair.
FUNCTION(int32_t) reference_index(CONTEXT()) {
#if SCALE == 0
  return reference_of(group_z(), args.inverse);
#else
  return group_z();
#endif
}

KERNEL_MAIN() {
  const bool scored = tile_is_scored(PASS());
  AdmColumns columns = read_columns(PASS(args.reference, reference_index(PASS())));
  filter_columns(PASS(columns, scored));
  columns = read_columns(PASS(args.distorted, group_z()));  // on its way while the reference is worked on
  group_barrier();
#if SCALE < 3
  write_low(PASS(0));
#endif
  AdmDetail o;
  if (scored) o = read_detail(PASS());
  group_barrier();
  filter_columns(PASS(columns, scored));
  group_barrier();
#if SCALE < 3
  write_low(PASS(1));
#endif
  if (scored) score(PASS(o));
}
