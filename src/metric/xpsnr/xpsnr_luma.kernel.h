// The sums of a block of luma: squared error, spatial activity and activity over time (docs/spec/beyond.md 2.3). A
// workgroup goes over a block. PIXEL: uint8_t or uint16_t.
#include "metric/blocks/reference_of.kernel.h"
#include "metric/xpsnr/xpsnr_args.h"
#include "metric/xpsnr/xpsnr_math.kernel.h"

struct XpsnrLumaShared {
  uint64_t wave_sums[MAX_WAVES];
};

KERNEL_USES(XpsnrLumaArgs, XpsnrLumaShared)

#include "metric/blocks/group_sum.kernel.h"

// Samples x0 to x1 - 1 of rows y0 to y1 - 1.
struct XpsnrPart {
  int32_t x0, y0, x1, y1;
};

FUNCTION(int32_t) at_least(int32_t value, int32_t least) { return value < least ? least : value; }
FUNCTION(int32_t) at_most(int32_t value, int32_t most) { return value > most ? most : value; }

FUNCTION(XpsnrPart) part_of(CONTEXT(int32_t edge)) {
  XpsnrPart part;
  part.x0 = group_x() * args.block;
  part.y0 = group_y() * args.block;
  part.x1 = at_most(part.x0 + args.block, args.width);
  part.y1 = at_most(part.y0 + args.block, args.height);
  if (part.x1 == args.width) part.x1 -= edge;
  if (part.y1 == args.height) part.y1 -= edge;
  part.x0 = at_least(part.x0, edge);
  part.y0 = at_least(part.y0, edge);
  return part;
}

// Beyond the picture's edges stands the nearest sample.
FUNCTION(int32_t) place_of(CONTEXT(int32_t x, int32_t y)) {
  const int32_t column = at_least(at_most(x, args.width - 1), 0);
  const int32_t row = at_least(at_most(y, args.height - 1), 0);
  return row * args.row_stride + column;
}

FUNCTION(int32_t) luma_at(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t x, int32_t y)) {
  return activity_sample(int32_t(picture.data[place_of(PASS(x, y))]), args.bit_depth);
}

FUNCTION(int32_t) sum_of(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t x, int32_t y, int32_t columns, int32_t rows)) {
  int32_t sum = 0;
  for (int32_t v = 0; v < rows; ++v) {
    for (int32_t u = 0; u < columns; ++u) sum += luma_at(PASS(picture, x + u, y + v));
  }
  return sum;
}

FUNCTION(int32_t) activity_of_sample(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t x, int32_t y)) {
  const int32_t centre = luma_at(PASS(picture, x, y));
  const int32_t sides = luma_at(PASS(picture, x, y - 1)) + luma_at(PASS(picture, x - 1, y)) +
                        luma_at(PASS(picture, x + 1, y)) + luma_at(PASS(picture, x, y + 1));
  const int32_t corners = luma_at(PASS(picture, x - 1, y - 1)) + luma_at(PASS(picture, x + 1, y - 1)) +
                          luma_at(PASS(picture, x - 1, y + 1)) + luma_at(PASS(picture, x + 1, y + 1));
  return high_pass(centre, sides, corners);
}

// The cell's upper left sample is (x, y). Compilers do not know the loops' lengths: unrolled ones spill registers.
FUNCTION(int32_t) activity_of_cell(CONTEXT(CONST_BUFFER(PIXEL) picture, int32_t x, int32_t y)) {
  const int32_t two = args.step;
  const int32_t four = 2 * args.step;
  const int32_t cell = sum_of(PASS(picture, x, y, two, two));
  const int32_t inner = sum_of(PASS(picture, x - 1, y - 1, four, four));
  const int32_t corners = luma_at(PASS(picture, x - 1, y - 1)) + luma_at(PASS(picture, x + 2, y - 1)) +
                          luma_at(PASS(picture, x - 1, y + 2)) + luma_at(PASS(picture, x + 2, y + 2));
  const int32_t ring = sum_of(PASS(picture, x - 1, y - 2, four, 1)) + sum_of(PASS(picture, x - 1, y + 3, four, 1)) +
                       sum_of(PASS(picture, x - 2, y - 1, 1, four)) + sum_of(PASS(picture, x + 3, y - 1, 1, four));
  return cell_high_pass(cell, inner - cell - corners, corners, ring);
}

FUNCTION(uint64_t) squared_errors(CONTEXT(CONST_BUFFER(PIXEL) reference, CONST_BUFFER(PIXEL) distorted)) {
  const XpsnrPart part = part_of(PASS(0));
  uint64_t sum = uint64_t(0u);
  for (int32_t y = part.y0 + local_y(); y < part.y1; y += BLOCK_Y) {
    for (int32_t x = part.x0 + local_x(); x < part.x1; x += BLOCK_X) {
      const int32_t i = y * args.row_stride + x;
      sum += squared_error(int32_t(reference.data[i]), int32_t(distorted.data[i]));
    }
  }
  return sum;
}

FUNCTION(uint64_t) spatial_activity(CONTEXT(CONST_BUFFER(PIXEL) picture)) {
  const XpsnrPart part = part_of(PASS(args.step));
  uint64_t sum = uint64_t(0u);
  for (int32_t y = part.y0 + args.step * local_y(); y < part.y1; y += args.step * BLOCK_Y) {
    for (int32_t x = part.x0 + args.step * local_x(); x < part.x1; x += args.step * BLOCK_X) {
      int32_t activity = 0;
      if (args.step == 2) {
        activity = activity_of_cell(PASS(picture, x, y));
      } else {
        activity = activity_of_sample(PASS(picture, x, y));
      }
      sum += uint64_t(uint32_t(activity));
    }
  }
  return sum;
}

FUNCTION(uint64_t) activity_over_time(CONTEXT(int64_t place)) {
  CONST_BUFFER(PIXEL) now = CONST_BUFFER_AT(PIXEL, args.reference, place);
  CONST_BUFFER(PIXEL) before = CONST_BUFFER_AT(PIXEL, args.reference, place - args.picture_stride);
  // With changes of the first order, the same picture again: nothing lies before it.
  CONST_BUFFER(PIXEL)
  before_that = CONST_BUFFER_AT(PIXEL, args.reference, place - int64_t(args.order) * args.picture_stride);
  const XpsnrPart part = part_of(PASS(0));
  uint64_t sum = uint64_t(0u);
  for (int32_t y = part.y0 + args.step * local_y(); y < part.y1; y += args.step * BLOCK_Y) {
    for (int32_t x = part.x0 + args.step * local_x(); x < part.x1; x += args.step * BLOCK_X) {
      int32_t change = 0;  // of a cell that of its samples, added up
      for (int32_t v = 0; v < args.step; ++v) {
        for (int32_t u = 0; u < args.step; ++u) {
          const int32_t i = place_of(PASS(x + u, y + v));
          change += temporal_change(activity_sample(int32_t(now.data[i]), args.bit_depth),
                                    activity_sample(int32_t(before.data[i]), args.bit_depth),
                                    activity_sample(int32_t(before_that.data[i]), args.bit_depth), args.order == 2);
        }
      }
      sum += uint64_t(uint32_t(2 * (change < 0 ? -change : change)));
    }
  }
  return sum;
}

FUNCTION(void) store(CONTEXT(int32_t word, uint64_t sum)) {
  if (local_x() == 0 && local_y() == 0) {
    const int32_t block = group_y() * groups_x() + group_x();
    args.words.data[group_z() * args.pair_words + block * XPSNR_WORDS + word] = int64_t(sum);
  }
}

KERNEL_MAIN() {
  const int64_t place = int64_t(reference_of(group_z(), args.inverse) + args.order) * args.picture_stride;
  CONST_BUFFER(PIXEL) reference = CONST_BUFFER_AT(PIXEL, args.reference, place);
  CONST_BUFFER(PIXEL) distorted = CONST_BUFFER_AT(PIXEL, args.distorted, int64_t(group_z()) * args.picture_stride);
  store(PASS(XPSNR_ERROR, group_sum(PASS(squared_errors(PASS(reference, distorted))))));
  uint64_t spatial = uint64_t(0u);
  if (args.step > 0) spatial = spatial_activity(PASS(reference));
  store(PASS(XPSNR_SPATIAL, group_sum(PASS(spatial))));
  uint64_t temporal = uint64_t(0u);
  if (args.step > 0 && args.order > 0) temporal = activity_over_time(PASS(place));
  store(PASS(XPSNR_TEMPORAL, group_sum(PASS(temporal))));
  if (args.has_chroma == 0) {
    store(PASS(XPSNR_ERROR_U, uint64_t(0u)));
    store(PASS(XPSNR_ERROR_V, uint64_t(0u)));
    store(PASS(XPSNR_CHROMA, uint64_t(0u)));
  }
}
