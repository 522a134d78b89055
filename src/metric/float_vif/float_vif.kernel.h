// One scale of float_vif (docs/spec/core.md 4.3) with the usual filters, from images to sums of rows and to the images
// of the next scale, in one pass.
//
// A workgroup goes along ROWS rows by tiles of COLUMNS columns. First each item filters one column, of the tile or its
// margin, down the rows into shared memory; then it filters a run of RUN pixels of one row along it, puts what it made
// where all have read, and makes terms of it, one pixel at a time: of all at once, the registers would leave no room
// for other waves. Some items add the terms to the sums of the rows while the others continue. Defined by the variant:
// SCALE, and PIXEL: uint8_t, uint16_t (scale 0) or float. The order matters.
// clang-format off
#include "kernel/divide/float_via_double.kernel.h"
#include "kernel/exact_float.kernel.h"
// clang-format on
#include "metric/blocks/border.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/float_vif/float_vif_args.h"
#include "metric/float_vif/float_vif_taps.kernel.h"

#if SCALE == 0
#define RADIUS 8
#define NEXT_RADIUS 4
#define TAPS kFloatVifTaps0
#define NEXT_TAPS kFloatVifTaps1
#elif SCALE == 1
#define RADIUS 4
#define NEXT_RADIUS 2
#define TAPS kFloatVifTaps1
#define NEXT_TAPS kFloatVifTaps2
#elif SCALE == 2
#define RADIUS 2
#define NEXT_RADIUS 1
#define TAPS kFloatVifTaps2
#define NEXT_TAPS kFloatVifTaps3
#else
#define RADIUS 1
#define TAPS kFloatVifTaps3
#endif

#define MARGIN (RADIUS < 4 ? 4 : RADIUS)  // whole runs
#define COLUMNS (BLOCK_X - 2 * MARGIN)
#define RUN (SCALE == 0 ? COLUMNS * ROWS / BLOCK_X : ROWS)
#define SPAN ((RUN > ROWS ? RUN : ROWS) + 2 * RADIUS)
// A row's length in shared memory, such that the items of a wave, ROWS rows of some runs, hit different banks.
#define STRIDE (RUN % 2 == 0 ? BLOCK_X + 1 : (BLOCK_X + 3) / 8 * 8 + 4)
#define TERM_STRIDE (COLUMNS + 1)
#define NEXT_ROWS (ROWS / 2)

#define SPANNED (ROWS + 2 * RADIUS)  // rows that the filters down the columns read

struct FloatVifShared {
  double noise;
  float inverse_noise;  // where it is a power of two, else 0
  float gain_limit;
  float moments[5][ROWS][STRIDE];  // filtered down, then along
  int32_t row_starts[SPANNED];     // mirrored at the edges
  float next[2][NEXT_ROWS][BLOCK_X + 1];
  float terms[2][ROWS][TERM_STRIDE];
};

KERNEL_USES(FloatVifArgs, FloatVifShared)

#include "metric/blocks/store_next.kernel.h"
#include "metric/float_vif/float_vif_terms.kernel.h"

// Values along a column or a row.
struct FloatVifSpan {
  float at[SPAN];
};

FUNCTION(float) filter_at(FloatVifSpan values, int32_t i) {
  float sum = TAPS[0] * values.at[i];
  UNROLL for (int32_t k = 1; k <= 2 * RADIUS; ++k) {
    sum = add_tap(sum, TAPS[k <= RADIUS ? k : 2 * RADIUS - k], values.at[i + k]);
  }
  return sum;
}

FUNCTION(float) value_of(CONTEXT(CONST_BUFFER(PIXEL) image, int32_t i)) {
#if SCALE == 0
  return float(int32_t(image.data[i])) * args.sample_scale - 128.0f;
#else
  return image.data[i];
#endif
}

FUNCTION(FloatVifSpan) read_column(CONTEXT(CONST_BUFFER(PIXEL) image, int32_t column)) {
  FloatVifSpan values;
  UNROLL for (int32_t k = 0; k < SPANNED; ++k) values.at[k] = value_of(PASS(image, group.row_starts[k] + column));
  return values;
}

FUNCTION(FloatVifSpan) product_of(FloatVifSpan a, FloatVifSpan b) {
  FloatVifSpan product;
  UNROLL for (int32_t k = 0; k < SPANNED; ++k) product.at[k] = a.at[k] * b.at[k];
  return product;
}

FUNCTION(void) share_moment(CONTEXT(int32_t moment, FloatVifSpan values)) {
  UNROLL for (int32_t r = 0; r < ROWS; ++r) group.moments[moment][r][local_x()] = filter_at(values, r);
}

#if SCALE < 3
FUNCTION(float) next_tap(int32_t k) { return NEXT_TAPS[k <= NEXT_RADIUS ? k : 2 * NEXT_RADIUS - k]; }

FUNCTION(void) share_next(CONTEXT(int32_t image, FloatVifSpan values)) {
  UNROLL for (int32_t r = 0; r < NEXT_ROWS; ++r) {
    const int32_t first = 2 * r + RADIUS - NEXT_RADIUS;
    float sum = next_tap(0) * values.at[first];
    UNROLL for (int32_t k = 1; k <= 2 * NEXT_RADIUS; ++k) sum = add_tap(sum, next_tap(k), values.at[first + k]);
    group.next[image][r][local_x()] = sum;
  }
}

// Even columns of both images' even rows, filtered along.
FUNCTION(void) make_next(CONTEXT(int32_t first_column, int32_t first_row)) {
  for (int32_t i = local_x(); i < NEXT_ROWS * (COLUMNS / 2); i += BLOCK_X) {
    const int32_t row = i / (COLUMNS / 2);
    const int32_t column = i - row * (COLUMNS / 2);
    const int32_t y = first_row / 2 + row;
    const int32_t x = first_column / 2 + column;
    const int32_t first = 2 * column + MARGIN - NEXT_RADIUS;
    float reference = next_tap(0) * group.next[0][row][first];
    float distorted = next_tap(0) * group.next[1][row][first];
    UNROLL for (int32_t k = 1; k <= 2 * NEXT_RADIUS; ++k) {
      reference = add_tap(reference, next_tap(k), group.next[0][row][first + k]);
      distorted = add_tap(distorted, next_tap(k), group.next[1][row][first + k]);
    }
    if (x < args.plane.width / 2 && y < args.plane.height / 2) store_next(PASS(x, y, reference, distorted));
  }
}
#endif

FUNCTION(void) filter_columns(CONTEXT(int32_t first_column)) {
  const int32_t column = mirror_index(first_column + local_x() - MARGIN, args.plane.width);
  const FloatVifSpan r = read_column(PASS(SHARED_PLANE(PIXEL, args.reference), column));
  const FloatVifSpan d = read_column(PASS(OWN_PLANE(PIXEL, args.distorted), column));
#if SCALE < 3
  share_next(PASS(0, r));
  share_next(PASS(1, d));
#endif
  if (args.statistics != 0) {
    share_moment(PASS(0, r));
    share_moment(PASS(1, d));
    share_moment(PASS(2, product_of(r, r)));
    share_moment(PASS(3, product_of(d, d)));
    share_moment(PASS(4, product_of(r, d)));
  }
}

struct FloatVifRun {
  float at[RUN];
};

FUNCTION(FloatVifRun) filter_row(CONTEXT(int32_t moment, int32_t row, int32_t first)) {
  FloatVifSpan values;
  UNROLL for (int32_t k = 0; k < RUN + 2 * RADIUS; ++k) values.at[k] = group.moments[moment][row][first + k];
  FloatVifRun run;
  UNROLL for (int32_t x = 0; x < RUN; ++x) run.at[x] = filter_at(values, x);
  return run;
}

FUNCTION(void) share_run(CONTEXT(int32_t moment, int32_t row, int32_t first, FloatVifRun run)) {
  UNROLL for (int32_t x = 0; x < RUN; ++x) group.moments[moment][row][first + x] = run.at[x];
}

FUNCTION(FloatVifMoments) moments_at(CONTEXT(int32_t row, int32_t x)) {
  FloatVifMoments moments;
  moments.mean1 = group.moments[0][row][x];
  moments.mean2 = group.moments[1][row][x];
  moments.square1 = group.moments[2][row][x];
  moments.square2 = group.moments[3][row][x];
  moments.product = group.moments[4][row][x];
  return moments;
}

// By all items; those behind the last run filter the first one again.
FUNCTION(void) make_terms(CONTEXT(int32_t first_column)) {
  const int32_t row = local_x() % ROWS;
  const int32_t first = local_x() / ROWS * RUN;
  const int32_t from = (first < COLUMNS ? first : 0) + MARGIN - RADIUS;
  const FloatVifRun mean1 = filter_row(PASS(0, row, from));
  const FloatVifRun mean2 = filter_row(PASS(1, row, from));
  const FloatVifRun square1 = filter_row(PASS(2, row, from));
  const FloatVifRun square2 = filter_row(PASS(3, row, from));
  const FloatVifRun product = filter_row(PASS(4, row, from));
  group_barrier();
  if (first < COLUMNS) {
    share_run(PASS(0, row, first, mean1));
    share_run(PASS(1, row, first, mean2));
    share_run(PASS(2, row, first, square1));
    share_run(PASS(3, row, first, square2));
    share_run(PASS(4, row, first, product));
    for (int32_t x = first; x < first + RUN; ++x) {
      share_terms(PASS(row, x, first_column + x < args.plane.width, moments_at(PASS(row, x))));
    }
  }
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * ROWS;
  if (local_x() == 0) share_noise(PASS());
  if (local_x() < SPANNED) {
    group.row_starts[local_x()] =
        mirror_index(first_row - RADIUS + local_x(), args.plane.height) * args.plane.row_stride;
  }
  group_barrier();
  float sum = 0.0f;
  for (int32_t column = 0; column < args.plane.width; column += COLUMNS) {
    filter_columns(PASS(column));
    group_barrier();
    if (args.statistics != 0) make_terms(PASS(column));
#if SCALE < 3
    make_next(PASS(column, first_row));
#endif
    group_barrier();
    if (local_x() < 2 * ROWS) sum = add_terms(PASS(sum, COLUMNS));
  }
  store_sum(PASS(sum));
}
