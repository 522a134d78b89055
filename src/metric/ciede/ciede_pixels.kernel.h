// The colour difference of each pixel. PIXEL: uint8_t or uint16_t.
#include "kernel/divide/double.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/ciede/ciede_args.h"
#include "metric/ciede/ciede_math.kernel.h"

KERNEL_USES(CiedePixelsArgs, int32_t)

struct CiedeSamples {
  int32_t y, cb, cr;
};

// The chroma sample of a pixel (docs/spec/siblings.md 6.4); less than 0: it reads a 0.
FUNCTION(int32_t) chroma_place(CONTEXT(int32_t x, int32_t y)) {
  int32_t column = x;
  int32_t row = y;
  if (args.chroma_kind == CIEDE_420) {
    column = x / 2 < args.chroma_width ? x / 2 : args.chroma_width - 1;
    row = y / 2;
  }
  if (args.chroma_kind == CIEDE_422) {
    column = x % args.chroma_stride;
    row = y / 2 + x / args.chroma_stride;
  }
  row = row < args.chroma_height ? row : args.chroma_height - 1;
  return column < args.chroma_width ? row * args.chroma_row + column : -1;
}

FUNCTION(int32_t) chroma_sample(CONST_BUFFER(PIXEL) plane, int32_t place) {
  return place < 0 ? 0 : int32_t(plane.data[place < 0 ? 0 : place]);
}

FUNCTION(CiedeLab) colour_of(CONTEXT(CiedeSamples samples)) {
  const CiedeSteps steps = {args.steps.data[0], args.steps.data[1], args.steps.data[2], args.steps.data[3],
                            args.steps.data[4]};
  return lab_of(double(samples.y - 16 * args.unit), double(samples.cb - 128 * args.unit),
                double(samples.cr - 128 * args.unit), steps);
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.width && y < args.height) {
    const int64_t frame = int64_t(reference_of(group_z(), args.inverse));
    const int64_t pair = int64_t(group_z());
    const int32_t luma = y * args.luma_row + x;
    const int32_t chroma = chroma_place(PASS(x, y));
    const int64_t reference_chroma = frame * args.chroma_picture;
    const int64_t distorted_chroma = pair * args.chroma_picture;
    CiedeSamples r = {int32_t(CONST_BUFFER_AT(PIXEL, args.reference, frame * args.luma_picture).data[luma]),
                      chroma_sample(CONST_BUFFER_AT(PIXEL, args.reference_cb, reference_chroma), chroma),
                      chroma_sample(CONST_BUFFER_AT(PIXEL, args.reference_cr, reference_chroma), chroma)};
    CiedeSamples d = {int32_t(CONST_BUFFER_AT(PIXEL, args.distorted, pair * args.luma_picture).data[luma]),
                      chroma_sample(CONST_BUFFER_AT(PIXEL, args.distorted_cb, distorted_chroma), chroma),
                      chroma_sample(CONST_BUFFER_AT(PIXEL, args.distorted_cr, distorted_chroma), chroma)};
    float difference = 0.0f;  // which equal samples have, too
    if (r.y != d.y || r.cb != d.cb || r.cr != d.cr) {
      difference = colour_difference(colour_of(PASS(r)), colour_of(PASS(d)));
    }
    BUFFER(float)
    row = BUFFER_AT(float, args.differences, (pair * args.height + int64_t(y)) * int64_t(args.difference_row));
    row.data[x] = difference;
  }
}
