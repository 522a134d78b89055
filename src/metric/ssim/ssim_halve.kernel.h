// Halved pictures. An item goes down a column of the halved picture, ROWS rows of it, two rows of the plane at a time.
// A row of the plane is filtered once with each row of the 9x9 table that meets it: even rows with 0, 2 and 4 rows from
// the middle, which count in five halved rows, odd ones with 1 and 3. Each halved row gets its nine in their order.
// PIXEL: uint8_t, uint16_t or (FLOATS) float.
#include "metric/ssim/ssim_args.h"
#include "metric/ssim/ssim_math.kernel.h"

#define TAPS 9
#define MIDDLE 4

KERNEL_USES(SsimShrinkArgs, int32_t)

#include "metric/ssim/ssim_pictures.kernel.h"

// Rows and columns of workgroups that hang over the edge are some of those inside.
FUNCTION(int32_t) inside(int32_t i, int32_t n) {
  const int32_t mirrored = mirrored_with_edge(i, n);
  return mirrored < 0 ? 0 : mirrored;
}

struct SsimTableRow {
  float at[TAPS];
};

FUNCTION(SsimTableRow) read_row(CONTEXT(int32_t x, int32_t y)) {
  CONST_BUFFER(PIXEL) picture = picture_of_group(PASS());
  const int32_t row = inside(y, args.height) * args.row_stride;
  SsimTableRow values;
  UNROLL for (int32_t j = 0; j < TAPS; ++j) {
    values.at[j] = value_at(PASS(picture, row + inside(2 * x + j - MIDDLE, args.width)));
  }
  return values;
}

// Added to what a halved row has so far.
FUNCTION(SplitSum) filter_along(SsimTableRow values, int32_t distance) {
  SplitSum sum = {kMeanAnchor, 0.0f};
  UNROLL for (int32_t j = 0; j < TAPS; ++j) {
    const int32_t column = j < MIDDLE ? MIDDLE - j : j - MIDDLE;
    sum = split_add(sum, values.at[j] * kHalvingTaps[5 * distance + column]);
  }
  sum.high = split_high(sum, kMeanAnchor);
  return sum;
}

FUNCTION(SplitSum) add_both(SplitSum sum, SplitSum row) {
  SplitSum next = {sum.high + row.high, sum.low + row.low};
  return next;
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t first = (group_y() * BLOCK_Y + local_y()) * ROWS;
  const SplitSum nothing = {0.0f, 0.0f};
  SplitSum p0 = nothing;  // the next halved row to be complete
  SplitSum p1 = nothing;
  SplitSum p2 = nothing;
  SplitSum p3 = nothing;
  for (int32_t step = 0; step < ROWS + MIDDLE; ++step) {
    const SsimTableRow even = read_row(PASS(x, 2 * (first + step) - MIDDLE));
    const SsimTableRow odd = read_row(PASS(x, 2 * (first + step) - MIDDLE + 1));
    const SplitSum even0 = filter_along(even, 0);
    const SplitSum even2 = filter_along(even, 2);
    const SplitSum even4 = filter_along(even, 4);
    const SplitSum complete = add_both(p0, even4);
    const int32_t y = first + step - MIDDLE;
    if (step >= MIDDLE && x < args.small_width && y < args.small_height) {
      store_small(PASS(x, y, complete.high + complete.low));
    }
    const SplitSum odd1 = filter_along(odd, 1);
    const SplitSum odd3 = filter_along(odd, 3);
    p0 = add_both(add_both(p1, even2), odd3);
    p1 = add_both(add_both(p2, even0), odd1);
    p2 = add_both(add_both(p3, even2), odd1);
    p3 = add_both(add_both(nothing, even4), odd3);
  }
}
