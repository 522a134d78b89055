// One scale of VIF (docs/spec/core.md 1.4, 1.5), from images to sums and to the images of the next
// scale, in one pass.
//
// A workgroup has a tile of COLUMNS x ROWS pixels. First each item filters one column, of the tile or its margin, down
// ROWS rows into shared memory; then it filters a run of RUN pixels of one row along it, and adds up their statistics.
// Defined by the variant: SCALE, and PIXEL: uint8_t with NARROW = 1 (scale 0 alone) or uint16_t with NARROW = 0.
#include "metric/blocks/border.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/vif/vif_args.h"
#include "metric/vif/vif_math.kernel.h"

#if SCALE == 0
#define RADIUS 8
#define NEXT_RADIUS 4
#define TAPS kTaps0
#define NEXT_TAPS kTaps1
#elif SCALE == 1
#define RADIUS 4
#define NEXT_RADIUS 2
#define TAPS kTaps1
#define NEXT_TAPS kTaps2
#elif SCALE == 2
#define RADIUS 2
#define NEXT_RADIUS 1
#define TAPS kTaps2
#define NEXT_TAPS kTaps3
#else
#define RADIUS 1
#define TAPS kTaps3
#endif

#define COLUMNS (BLOCK_X - 2 * RADIUS)
#define SEGMENTS (BLOCK_X / ROWS)
#define RUN ((COLUMNS + SEGMENTS - 1) / SEGMENTS)
#define SPAN ((RUN > ROWS ? RUN : ROWS) + 2 * RADIUS)
// Words of a row in shared memory: all that runs read, and such that the items of a wave, ROWS rows of some runs, hit
// different banks.
#define READ_COLUMNS (SEGMENTS * RUN + SPAN - RUN)
#define STRIDE (RUN % 2 == 0 ? READ_COLUMNS / 2 * 2 + 1 : (READ_COLUMNS + 3) / 8 * 8 + 4)

#if COLUMNS * ROWS > 2047
#error "VifSums counts 2047 pixels at most"
#endif

struct VifShared {
  uint32_t means[ROWS][STRIDE];  // of the columns, 16 bits each: reference, distorted << 16
  uint32_t squares[3][ROWS][STRIDE];
  uint32_t next_means[(ROWS + 1) / 2][BLOCK_X + 1];
  uint32_t log_table[2 * kLogParts];
  uint64_t wave_sums[2 * MAX_WAVES];
};

KERNEL_USES(VifArgs, VifShared)

#include "metric/vif/vif_statistics.kernel.h"

// Samples or moments along a column or a row.
struct Window {
  uint32_t at[SPAN];
};

// A sum of taps * samples, of the samples' high and low 16 bits: 65536 high + low.
struct SplitSum {
  uint32_t high;
  uint32_t low;
};

// The sum around window.at[i + RADIUS], modulo 2^32; pairs of samples with one tap are added first.
FUNCTION(uint32_t) filter_at(Window window, int32_t i) {
  uint32_t sum = TAPS[RADIUS] * window.at[i + RADIUS];
  UNROLL for (int32_t k = 0; k < RADIUS; ++k) sum += TAPS[k] * (window.at[i + k] + window.at[i + 2 * RADIUS - k]);
  return sum;
}

// As filter_at, of 32-bit samples. Taps sum to 2^16, so that both sums fit 32 bits.
FUNCTION(SplitSum) split_filter_at(Window window, int32_t i) {
  SplitSum sum;
  sum.high = TAPS[RADIUS] * (window.at[i + RADIUS] >> 16);
  UNROLL for (int32_t k = 0; k < RADIUS; ++k) {
    sum.high += TAPS[k] * ((window.at[i + k] >> 16) + (window.at[i + 2 * RADIUS - k] >> 16));
  }
  sum.low = filter_at(window, i) - (sum.high << 16);
  return sum;
}

// ---- down the columns

FUNCTION(void) store_squares(CONTEXT(int32_t which, Window squares)) {
  UNROLL for (int32_t i = 0; i < ROWS; ++i) {
#if NARROW
    group.squares[which][i][local_x()] = filter_at(squares, i);  // below 2^8 * 2^8 * 2^16, and no shift
#else
    const SplitSum sum = split_filter_at(squares, i);
    const int32_t shift = square_shift(args.bit_depth);
    group.squares[which][i][local_x()] = (sum.high << (16 - shift)) + ((sum.low + (1u << (shift - 1))) >> shift);
#endif
  }
}

#ifdef NEXT_RADIUS
FUNCTION(uint32_t) next_filter_at(Window window, int32_t i) {
  uint32_t sum = NEXT_TAPS[NEXT_RADIUS] * window.at[i + RADIUS];
  UNROLL for (int32_t k = 0; k < NEXT_RADIUS; ++k) {
    sum += NEXT_TAPS[k] * (window.at[i + RADIUS - NEXT_RADIUS + k] + window.at[i + RADIUS + NEXT_RADIUS - k]);
  }
  return sum;
}
#endif

FUNCTION(uint32_t) pack_means(CONTEXT(uint32_t reference, uint32_t distorted)) {
  return rounded_mean(reference, args.bit_depth) | (rounded_mean(distorted, args.bit_depth) << 16);
}

FUNCTION(void) filter_columns(CONTEXT(int32_t first_row)) {
  const int32_t column = mirror_index(group_x() * COLUMNS + local_x() - RADIUS, args.plane.width);
#if SCALE == 0
  CONST_BUFFER(PIXEL) reference = SHARED_PLANE(PIXEL, args.reference);
#else
  CONST_BUFFER(PIXEL) reference = OWN_PLANE(PIXEL, args.reference);
#endif
  CONST_BUFFER(PIXEL) distorted = OWN_PLANE(PIXEL, args.distorted);
  Window ref;
  Window dis;
  if (first_row >= RADIUS && first_row + ROWS + RADIUS <= args.plane.height) {
    uint32_t i = uint32_t((first_row - RADIUS) * args.plane.row_stride + column);
    UNROLL for (int32_t r = 0; r < ROWS + 2 * RADIUS; ++r) {
      ref.at[r] = uint32_t(reference.data[i]);
      dis.at[r] = uint32_t(distorted.data[i]);
      i += uint32_t(args.plane.row_stride);
    }
  } else {
    UNROLL for (int32_t r = 0; r < ROWS + 2 * RADIUS; ++r) {
      const uint32_t i =
          uint32_t(mirror_index(first_row + r - RADIUS, args.plane.height) * args.plane.row_stride + column);
      ref.at[r] = uint32_t(reference.data[i]);
      dis.at[r] = uint32_t(distorted.data[i]);
    }
  }
#ifdef NEXT_RADIUS
  UNROLL for (int32_t i = 0; i < ROWS; i += 2) {
    group.next_means[i / 2][local_x()] = pack_means(PASS(next_filter_at(ref, i), next_filter_at(dis, i)));
  }
#endif
  if (args.statistics == 0) return;
  UNROLL for (int32_t i = 0; i < ROWS; ++i) {
    group.means[i][local_x()] = pack_means(PASS(filter_at(ref, i), filter_at(dis, i)));
  }
  Window product;
  UNROLL for (int32_t r = 0; r < ROWS + 2 * RADIUS; ++r) product.at[r] = ref.at[r] * ref.at[r];
  store_squares(PASS(0, product));
  UNROLL for (int32_t r = 0; r < ROWS + 2 * RADIUS; ++r) product.at[r] = dis.at[r] * dis.at[r];
  store_squares(PASS(1, product));
  UNROLL for (int32_t r = 0; r < ROWS + 2 * RADIUS; ++r) product.at[r] = ref.at[r] * dis.at[r];
  store_squares(PASS(2, product));
}

// ---- along the rows

#ifdef NEXT_RADIUS
// Pixel (x, y) of the next images' tile: every second column of every second row.
FUNCTION(void) store_next_pixel(CONTEXT(int32_t x, int32_t y, int32_t to)) {
  uint32_t reference = kHalfTapSum;
  uint32_t distorted = kHalfTapSum;
  UNROLL for (int32_t k = 0; k <= 2 * NEXT_RADIUS; ++k) {
    const uint32_t tap = NEXT_TAPS[k < NEXT_RADIUS ? k : 2 * NEXT_RADIUS - k];
    const uint32_t means = group.next_means[y][2 * x + RADIUS - NEXT_RADIUS + k];
    reference += tap * (means & 0xffffu);
    distorted += tap * (means >> 16);
  }
  const int64_t picture = int64_t(group_z()) * int64_t(args.next_row_stride * (args.plane.height / 2));
  BUFFER_AT(uint16_t, args.next_reference, picture).data[to] = uint16_t(reference >> kTapBits);
  BUFFER_AT(uint16_t, args.next_distorted, picture).data[to] = uint16_t(distorted >> kTapBits);
}

FUNCTION(void) store_next_images(CONTEXT(int32_t first_row)) {
  const int32_t rows = ROWS / 2;
  for (int32_t i = local_x(); i < rows * (COLUMNS / 2); i += BLOCK_X) {
    const int32_t x = i / rows;
    const int32_t y = i % rows;
    const int32_t column = group_x() * (COLUMNS / 2) + x;
    const int32_t row = first_row / 2 + y;
    if (column < args.plane.width / 2 && row < args.plane.height / 2) {
      store_next_pixel(PASS(x, y, row * args.next_row_stride + column));
    }
  }
}
#endif

// Variances and covariance of a run of pixels.
struct Variances {
  int32_t s1[RUN];
  int32_t s2[RUN];
  int32_t s12[RUN];
};

// The sum's 48 bits, rounded to 32.
FUNCTION(uint32_t) moment_at(Window window, int32_t i) {
  const SplitSum sum = split_filter_at(window, i);
  return sum.high + ((sum.low + kHalfTapSum) >> kTapBits);
}

FUNCTION(Window) load_squares(CONTEXT(int32_t which, int32_t row, int32_t column)) {
  Window window;
  UNROLL for (int32_t k = 0; k < SPAN; ++k) window.at[k] = group.squares[which][row][column + k];
  return window;
}

// Differences are taken modulo 2^32; variances lie within 2^30 of 0.
FUNCTION(Variances) filter_row(CONTEXT(int32_t row, int32_t column)) {
  uint32_t m1[RUN];
  uint32_t m2[RUN];
  Window window;
  UNROLL for (int32_t k = 0; k < SPAN; ++k) window.at[k] = group.means[row][column + k];
  UNROLL for (int32_t i = 0; i < RUN; ++i) {
    const SplitSum means = split_filter_at(window, i);
    m1[i] = means.low;
    m2[i] = means.high;
  }
  Variances v;
  window = load_squares(PASS(0, row, column));
  UNROLL for (int32_t i = 0; i < RUN; ++i) v.s1[i] = int32_t(moment_at(window, i) - mean_product(m1[i], m1[i]));
  window = load_squares(PASS(1, row, column));
  UNROLL for (int32_t i = 0; i < RUN; ++i) v.s2[i] = int32_t(moment_at(window, i) - mean_product(m2[i], m2[i]));
  window = load_squares(PASS(2, row, column));
  UNROLL for (int32_t i = 0; i < RUN; ++i) v.s12[i] = int32_t(moment_at(window, i) - mean_product(m1[i], m2[i]));
  return v;
}

// The statistics of a run go back to shared memory, where the item reads its own again, one pixel at a time.
FUNCTION(VifSums) add_statistics(CONTEXT(int32_t first_row)) {
  const int32_t row = local_x() % ROWS;
  const int32_t column = local_x() / ROWS * RUN;
  const Variances v = filter_row(PASS(row, column));
  group_barrier();
  UNROLL for (int32_t i = 0; i < RUN; ++i) {
    group.squares[0][row][column + i] = uint32_t(v.s1[i]);
    group.squares[1][row][column + i] = uint32_t(v.s2[i]);
    group.squares[2][row][column + i] = uint32_t(v.s12[i]);
  }
  const int32_t in_tile = COLUMNS - column;
  const int32_t in_picture = args.plane.width - group_x() * COLUMNS - column;
  int32_t count = in_tile < in_picture ? in_tile : in_picture;
  if (count > RUN) count = RUN;
  if (first_row + row >= args.plane.height) count = 0;
  VifSums sums = no_sums();
  for (int32_t i = 0; i < count; ++i) {
    add_pixel(PASS(int32_t(group.squares[0][row][column + i]), int32_t(group.squares[1][row][column + i]),
                   int32_t(group.squares[2][row][column + i]), sums));
  }
  return sums;
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * ROWS;
  load_log_table(PASS());
  filter_columns(PASS(first_row));
  group_barrier();
#ifdef NEXT_RADIUS
  store_next_images(PASS(first_row));
#endif
  VifSums sums = no_sums();
  if (args.statistics != 0) sums = add_statistics(PASS(first_row));
  store_sums(PASS(sums));
}
