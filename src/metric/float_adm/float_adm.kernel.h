// One scale of float_adm (docs/spec/core.md 4.4), from images to sums of rows and to the images of the next scale, in
// one pass.
//
// A workgroup goes along BLOCK_Y rows of the bands by tiles of COLUMNS columns. First its items make the details of the
// tile and of a pixel around it, then each item makes the nine terms of a pixel. Some items add the terms to the sums
// of the rows while the others continue. Defined by the variant: PIXEL, FLOATS (1 where it is float), POWER (0: the
// cube). The order matters.
// clang-format off
#include "kernel/divide/float_via_double.kernel.h"
#include "kernel/exact_math.kernel.h"
// clang-format on
#include "metric/blocks/reference_of.kernel.h"
#include "metric/float_adm/float_adm_args.h"
#include "metric/float_adm/float_adm_math.kernel.h"

#define BANDS 3
#define SUMS 9  // restored (num), added (aim) and reference (den), by bands
#define COLUMNS (BLOCK_X - 2)
#define TERM_STRIDE (BLOCK_X + 1)

struct FloatAdmShared {
  float shares[2 * BANDS][BLOCK_Y + 2][BLOCK_X];
  float sizes[SUMS][BLOCK_Y][BLOCK_X];
  float terms[SUMS][BLOCK_Y][TERM_STRIDE];
};

KERNEL_USES(FloatAdmArgs, FloatAdmShared)

#include "metric/blocks/store_next.kernel.h"
#include "metric/float_adm/float_adm_details.kernel.h"
#include "metric/float_adm/float_adm_sums.kernel.h"

FUNCTION(float) neighbours_of(CONTEXT(int32_t detail)) {
  const int32_t x = local_x();
  const int32_t y = local_y();
  float sum = group.shares[detail][y][x];
  sum = sum + group.shares[detail][y][x + 1];
  sum = sum + group.shares[detail][y][x + 2];
  sum = sum + group.shares[detail][y + 1][x];
  sum = add_centre_share(sum, group.sizes[detail][y][x + 1]);
  sum = sum + group.shares[detail][y + 1][x + 2];
  sum = sum + group.shares[detail][y + 2][x];
  sum = sum + group.shares[detail][y + 2][x + 1];
  return sum + group.shares[detail][y + 2][x + 2];
}

// The threshold of the restored part (first = 0) or the added one (first = BANDS).
FUNCTION(float) threshold_of(CONTEXT(int32_t first)) {
  if ((args.flags & 2) == 0) return 0.0f;
  return (neighbours_of(PASS(first)) + neighbours_of(PASS(first + 1))) + neighbours_of(PASS(first + 2));
}

FUNCTION(float) term_of(float x) {
#if POWER
  return x;  // raise_terms follows
#else
  return cube_of_scaled(x);
#endif
}

// A pixel that is not scored adds 0.
FUNCTION(void) make_terms(CONTEXT(int32_t column, int32_t row)) {
  const int32_t x = local_x();
  const int32_t y = local_y();
  const bool is_scored = x < COLUMNS && column >= args.column_margin &&
                         column < (args.plane.width + 1) / 2 - args.column_margin && row >= args.row_margin &&
                         row < (args.plane.height + 1) / 2 - args.row_margin;
  UNROLL for (int32_t i = 0; i < SUMS; ++i) group.terms[i][y][x] = 0.0f;
  if (is_scored) {
    const float of_added = threshold_of(PASS(BANDS));
    const float of_kept = threshold_of(PASS(0));
    UNROLL for (int32_t band = 0; band < BANDS; ++band) {
      group.terms[band][y][x] = term_of(beyond(group.sizes[band][y][x + 1], of_added));
      group.terms[BANDS + band][y][x] = term_of(beyond(group.sizes[BANDS + band][y][x + 1], of_kept));
      group.terms[2 * BANDS + band][y][x] = term_of(group.sizes[2 * BANDS + band][y][x + 1]);
    }
  }
}

#if POWER
FUNCTION(void) raise_terms(CONTEXT()) {
  for (int32_t i = 0; i < SUMS; ++i) {
    group.terms[i][local_y()][local_x()] = power_of(PASS(group.terms[i][local_y()][local_x()]));
  }
}
#endif

// A running sum of floats cannot be split: an item adds up one of the sums of a row.
FUNCTION(SUM) add_terms(CONTEXT(int32_t item, SUM sum)) {
  const int32_t kind = item / BLOCK_Y;
  const int32_t row = item - kind * BLOCK_Y;
  SUM running = sum;
  for (int32_t x = 0; x < BLOCK_X; x += 8) {
    float values[8];
    UNROLL for (int32_t k = 0; k < 8; ++k) values[k] = group.terms[kind][row][x + k];
    UNROLL for (int32_t k = 0; k < 8; ++k) running = plus_term(running, values[k]);
  }
  return running;
}

KERNEL_MAIN() {
  const int32_t item = local_y() * BLOCK_X + local_x();
  const int32_t first_row = group_y() * BLOCK_Y;
  const int32_t band_width = (args.plane.width + 1) / 2;
  SUM sum = SUM(0);
  for (int32_t column = 0; column < band_width; column += COLUMNS) {
    for (int32_t row = local_y(); row < BLOCK_Y + 2; row += BLOCK_Y) {
      share_pixel(PASS(column + local_x() - 1, first_row, row));
    }
    group_barrier();
    make_terms(PASS(column + local_x(), first_row + local_y()));
#if POWER
    raise_terms(PASS());
#endif
    group_barrier();
    if (item < SUMS * BLOCK_Y) sum = add_terms(PASS(item, sum));
  }
  const int32_t y = first_row + item % BLOCK_Y;
  if (item < SUMS * BLOCK_Y && y < (args.plane.height + 1) / 2) {
    const int32_t word = (group_z() * args.pair_rows + args.first_row + y) * SUMS + item / BLOCK_Y;
    args.words.data[2 * word] = stored_sum(sum);
    args.words.data[2 * word + 1] = 0.0f;
  }
}
