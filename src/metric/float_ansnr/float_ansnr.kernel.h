// The signal and the noise of rows (docs/spec/siblings.md 7.3). A running float sum cannot be split: one item adds up a
// row's signal, another one its noise. A workgroup goes along GROUP_ROWS rows by tiles of BLOCK_X columns: all items
// read a tile's samples with a border, filter the distorted picture along the rows, and square; then some of them add
// the tile's squares to the sums. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/float_ansnr/float_ansnr_args.h"
#include "metric/float_ansnr/float_ansnr_math.kernel.h"

#define MARGIN 2
#define GROUP_ROWS (BLOCK_Y * ROWS)
#define SAMPLE_ROWS (GROUP_ROWS + 2 * MARGIN)
#define SAMPLE_COLUMNS (BLOCK_X + 2 * MARGIN)
#define SQUARE_STRIDE (BLOCK_X + 1)  // odd: neighbouring rows lie in different banks

#if 2 * GROUP_ROWS > BLOCK_X
#error "a row of items has one for each sum"
#endif

struct FloatAnsnrShared {
  float reference[SAMPLE_ROWS][SAMPLE_COLUMNS];
  float distorted[SAMPLE_ROWS][SAMPLE_COLUMNS];
  float squares[2 * GROUP_ROWS * SQUARE_STRIDE];  // [signal, noise][row][column]
};

KERNEL_USES(FloatAnsnrArgs, FloatAnsnrShared)

// Samples that stand for those beyond the edges. Those of rows and columns that no pixel needs are some inside.
FUNCTION(int32_t) index_inside(int32_t i, int32_t n) {
  const int32_t mirrored = ansnr_index(i, n);
  return mirrored < 0 ? 0 : mirrored;
}

FUNCTION(void) load_samples(CONTEXT(int32_t first_row, int32_t first_column)) {
  CONST_BUFFER(PIXEL) reference = SHARED_PLANE(PIXEL, args.reference);
  CONST_BUFFER(PIXEL) distorted = OWN_PLANE(PIXEL, args.distorted);
  for (int32_t r = local_y(); r < SAMPLE_ROWS; r += BLOCK_Y) {
    const int32_t row = index_inside(first_row + r - MARGIN, args.plane.height) * args.plane.row_stride;
    for (int32_t c = local_x(); c < SAMPLE_COLUMNS; c += BLOCK_X) {
      const int32_t i = row + index_inside(first_column + c - MARGIN, args.plane.width);
      group.reference[r][c] = float(int32_t(reference.data[i])) * args.sample_scale - 128.0f;
      group.distorted[r][c] = float(int32_t(distorted.data[i])) * args.sample_scale - 128.0f;
    }
  }
}

FUNCTION(float) smooth_row(CONTEXT(int32_t r, int32_t c)) {
  return ansnr_smooth(group.reference[r][c - 1], group.reference[r][c], group.reference[r][c + 1]);
}

// The row of the filter that a row of samples meets, from -2 to 2 of its middle.
FUNCTION(float) filter_row(CONTEXT(int32_t from_middle, int32_t r, int32_t c)) {
  const int32_t kind = from_middle < 0 ? MARGIN + from_middle : MARGIN - from_middle;
  return ansnr_filter_row(kAnsnrTaps[3 * kind], kAnsnrTaps[3 * kind + 1], kAnsnrTaps[3 * kind + 2],
                          group.distorted[r][c - 2], group.distorted[r][c - 1], group.distorted[r][c],
                          group.distorted[r][c + 1], group.distorted[r][c + 2]);
}

// Columns beyond the edge are 0, which leaves a sum as it is.
FUNCTION(void) square(CONTEXT(int32_t first_column)) {
  const bool inside = first_column + local_x() < args.plane.width;
  const int32_t c = local_x() + MARGIN;
  UNROLL for (int32_t k = 0; k < ROWS; ++k) {
    const int32_t row = local_y() * ROWS + k;
    const int32_t r = row + MARGIN;
    const float smoothed = ansnr_smooth(smooth_row(PASS(r - 1, c)), smooth_row(PASS(r, c)), smooth_row(PASS(r + 1, c)));
    const float filtered =
        ansnr_filter_rows(filter_row(PASS(-2, r - 2, c)), filter_row(PASS(-1, r - 1, c)), filter_row(PASS(0, r, c)),
                          filter_row(PASS(1, r + 1, c)), filter_row(PASS(2, r + 2, c)));
    const float error = smoothed - filtered;
    group.squares[row * SQUARE_STRIDE + local_x()] = inside ? smoothed * smoothed : 0.0f;
    group.squares[(GROUP_ROWS + row) * SQUARE_STRIDE + local_x()] = inside ? error * error : 0.0f;
  }
}

FUNCTION(float) add_squares(CONTEXT(float sum)) {
  float running = sum;
  for (int32_t column = 0; column < BLOCK_X; ++column) {
    running = running + group.squares[local_x() * SQUARE_STRIDE + column];
  }
  return running;
}

KERNEL_MAIN() {
  const int32_t first_row = group_y() * GROUP_ROWS;
  const bool adds = local_y() == 0 && local_x() < 2 * GROUP_ROWS;
  float sum = 0.0f;
  for (int32_t column = 0; column < args.plane.width; column += BLOCK_X) {
    load_samples(PASS(first_row, column));
    group_barrier();
    square(PASS(column));
    group_barrier();
    if (adds) sum = add_squares(PASS(sum));
  }
  const int32_t which = local_x() / GROUP_ROWS;
  const int32_t y = first_row + local_x() - which * GROUP_ROWS;
  if (adds && y < args.plane.height) {
    const int32_t word = 2 * (group_z() * args.plane.height + y) + which;
    args.words.data[2 * word] = sum;
    args.words.data[2 * word + 1] = 0.0f;
  }
}
