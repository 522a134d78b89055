// One scale of float_vif with filters of any size, as float_vif.kernel.h does it, but slower.
// The order matters.
// clang-format off
#include "kernel/divide/float_via_double.kernel.h"
#include "kernel/exact_float.kernel.h"
// clang-format on
#include "metric/blocks/border.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/float_vif/float_vif_args.h"

#define COLUMNS ((BLOCK_X - 2 * args.radius) / 2 * 2)
#define TERM_STRIDE (BLOCK_X + 1)
#define NEXT_ROWS (ROWS / 2)

struct FloatVifShared {
  double noise;
  float inverse_noise;  // where it is a power of two, else 0
  float gain_limit;
  float moments[5][ROWS][BLOCK_X + 1];
  float next[2][NEXT_ROWS][BLOCK_X + 1];
  float terms[2][ROWS][TERM_STRIDE];
};

KERNEL_USES(FloatVifArgs, FloatVifShared)

#include "metric/blocks/store_next.kernel.h"
#include "metric/float_vif/float_vif_terms.kernel.h"

// Rows below the picture are left out.
FUNCTION(int32_t) rows_from(CONTEXT(int32_t first_row)) {
  return args.plane.height - first_row < ROWS ? args.plane.height - first_row : ROWS;
}

FUNCTION(void) filter_columns(CONTEXT(int32_t first_column, int32_t first_row)) {
  CONST_BUFFER(PIXEL) reference = OWN_PLANE(PIXEL, args.reference);
  CONST_BUFFER(PIXEL) distorted = OWN_PLANE(PIXEL, args.distorted);
  const int32_t column = mirror_index(first_column + local_x() - args.radius, args.plane.width);
  for (int32_t row = 0; row < rows_from(PASS(first_row)); ++row) {
    FloatVifMoments m = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (int32_t k = 0; k <= 2 * args.radius; ++k) {
      const int32_t i =
          mirror_index(first_row + row + k - args.radius, args.plane.height) * args.plane.row_stride + column;
      const float r = reference.data[i];
      const float d = distorted.data[i];
      const float tap = args.taps.data[k];
      m.mean1 = add_tap(m.mean1, tap, r);
      m.mean2 = add_tap(m.mean2, tap, d);
      m.square1 = add_tap(m.square1, tap, r * r);
      m.square2 = add_tap(m.square2, tap, d * d);
      m.product = add_tap(m.product, tap, r * d);
    }
    group.moments[0][row][local_x()] = m.mean1;
    group.moments[1][row][local_x()] = m.mean2;
    group.moments[2][row][local_x()] = m.square1;
    group.moments[3][row][local_x()] = m.square2;
    group.moments[4][row][local_x()] = m.product;
  }
}

// Even rows of both images, filtered down for the next scale.
FUNCTION(void) filter_next_columns(CONTEXT(int32_t first_column, int32_t first_row)) {
  CONST_BUFFER(PIXEL) reference = OWN_PLANE(PIXEL, args.reference);
  CONST_BUFFER(PIXEL) distorted = OWN_PLANE(PIXEL, args.distorted);
  const int32_t column = mirror_index(first_column + local_x() - args.radius, args.plane.width);
  for (int32_t row = 0; row < rows_from(PASS(first_row)); row += 2) {
    float next_reference = 0.0f;
    float next_distorted = 0.0f;
    for (int32_t k = 0; k <= 2 * args.next_radius; ++k) {
      const int32_t i =
          mirror_index(first_row + row + k - args.next_radius, args.plane.height) * args.plane.row_stride + column;
      const float tap = args.taps.data[2 * args.radius + 1 + k];
      next_reference = add_tap(next_reference, tap, reference.data[i]);
      next_distorted = add_tap(next_distorted, tap, distorted.data[i]);
    }
    group.next[0][row / 2][local_x()] = next_reference;
    group.next[1][row / 2][local_x()] = next_distorted;
  }
}

FUNCTION(void) make_terms(CONTEXT(int32_t first_column, int32_t first_row)) {
  const int32_t x = local_x();
  const int32_t rows = x < COLUMNS ? rows_from(PASS(first_row)) : 0;
  for (int32_t row = 0; row < rows; ++row) {
    FloatVifMoments m = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (int32_t k = 0; k <= 2 * args.radius; ++k) {
      const float tap = args.taps.data[k];
      m.mean1 = add_tap(m.mean1, tap, group.moments[0][row][x + k]);
      m.mean2 = add_tap(m.mean2, tap, group.moments[1][row][x + k]);
      m.square1 = add_tap(m.square1, tap, group.moments[2][row][x + k]);
      m.square2 = add_tap(m.square2, tap, group.moments[3][row][x + k]);
      m.product = add_tap(m.product, tap, group.moments[4][row][x + k]);
    }
    group.terms[0][row][x] = 0.0f;
    group.terms[1][row][x] = 0.0f;
    // A branch: of share_terms' own choice ptxas makes code that spills.
    if (first_column + x < args.plane.width) share_terms(PASS(row, x, true, m));
  }
  for (int32_t i = local_x(); i < 2 * ROWS * 8; i += BLOCK_X) {  // what add_terms reads beyond the last column
    if (COLUMNS + i % 8 < TERM_STRIDE) group.terms[i / 8 / ROWS][i / 8 % ROWS][COLUMNS + i % 8] = 0.0f;
  }
}

FUNCTION(void) make_next(CONTEXT(int32_t first_column, int32_t first_row)) {
  const int32_t column = local_x();
  const int32_t rows = column < COLUMNS / 2 ? rows_from(PASS(first_row)) / 2 : 0;
  for (int32_t row = 0; row < rows; ++row) {
    const int32_t y = first_row / 2 + row;
    const int32_t x = first_column / 2 + column;
    const int32_t first = 2 * column + args.radius - args.next_radius;
    float reference = 0.0f;
    float distorted = 0.0f;
    for (int32_t k = 0; k <= 2 * args.next_radius; ++k) {
      const float tap = args.taps.data[2 * args.radius + 1 + k];
      reference = add_tap(reference, tap, group.next[0][row][first + k]);
      distorted = add_tap(distorted, tap, group.next[1][row][first + k]);
    }
    if (x < args.plane.width / 2) store_next(PASS(x, y, reference, distorted));
  }
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * ROWS;
  if (local_x() == 0) share_noise(PASS());
  float sum = 0.0f;
  for (int32_t column = 0; column < args.plane.width; column += COLUMNS) {
    filter_columns(PASS(column, first_row));
    if (args.next_radius > 0) filter_next_columns(PASS(column, first_row));
    group_barrier();
    make_terms(PASS(column, first_row));
    if (args.next_radius > 0) make_next(PASS(column, first_row));
    group_barrier();
    if (local_x() < 2 * ROWS) sum = add_terms(PASS(sum, COLUMNS));
  }
  store_sum(PASS(sum));
}
