// From samples to the light of a display (docs/spec/hdr.md 2.1, 3): an item has 2x2 pixels, whose chroma is computed
// from the same samples. PIXEL: uint8_t or uint16_t.
#include "kernel/divide/float_via_fma.kernel.h"
#include "metric/blocks/linear_rgb_args.h"
#include "metric/blocks/linear_rgb_math.kernel.h"
#include "metric/hdr/hdr_math.kernel.h"

KERNEL_USES(LinearRgbArgs, int32_t)

#include "metric/blocks/chroma_quad.kernel.h"

#define FIRST_OF_CURVE 11  // words, behind those of LinearRgbFactors

FUNCTION(HdrCurve) read_curve(CONTEXT()) {
  HdrCurve curve;
  curve.transfer = int32_t(args.factors.data[FIRST_OF_CURVE]);
  curve.scale = bits_float(args.factors.data[FIRST_OF_CURVE + 1]);
  curve.gamma.value = bits_float(args.factors.data[FIRST_OF_CURVE + 2]);
  curve.gamma.high = bits_float(args.factors.data[FIRST_OF_CURVE + 3]);
  curve.gamma.low = bits_float(args.factors.data[FIRST_OF_CURVE + 4]);
  return curve;
}

// Curves are long: with all four pixels after one another, their code would not fit a GPU's cache of instructions.
FUNCTION(int32_t) picked(ChromaQuad quad, int32_t i) {
  const int32_t upper = (i & 1) == 0 ? quad.value[0] : quad.value[1];
  const int32_t lower = (i & 1) == 0 ? quad.value[2] : quad.value[3];
  return i < 2 ? upper : lower;
}

KERNEL_MAIN() {
  const int32_t x_pair = group_x() * BLOCK_X + local_x();
  const int32_t y_pair = group_y() * BLOCK_Y + local_y();
  if (2 * x_pair < args.width && 2 * y_pair < args.height) {
    const int64_t picture = int64_t(group_z());
    const LinearRgbFactors factors = read_factors(PASS());
    const HdrCurve curve = read_curve(PASS());
    ChromaQuad cb;
    UNROLL for (int32_t i = 0; i < 4; ++i) cb.value[i] = factors.chroma_offset;
    ChromaQuad cr = cb;
    if (args.chroma_width > 0) {
      const int64_t first = picture * args.chroma_picture;
      cb = chroma_at(PASS(CONST_BUFFER_AT(PIXEL, args.cb, first), x_pair, y_pair));
      cr = chroma_at(PASS(CONST_BUFFER_AT(PIXEL, args.cr, first), x_pair, y_pair));
    }
    CONST_BUFFER(PIXEL) lumas = CONST_BUFFER_AT(PIXEL, args.luma, picture * args.luma_picture);
    BUFFER(float) red = BUFFER_AT(float, args.red, picture* args.rgb_picture);
    BUFFER(float) green = BUFFER_AT(float, args.green, picture* args.rgb_picture);
    BUFFER(float) blue = BUFFER_AT(float, args.blue, picture* args.rgb_picture);
    for (int32_t i = 0; i < 4; ++i) {
      const int32_t x = 2 * x_pair + (i & 1);
      const int32_t y = 2 * y_pair + i / 2;
      if (x < args.width && y < args.height) {
        const int32_t luma = int32_t(lumas.data[y * args.luma_row + x]);
        const LinearRgb rgb = linear_rgb(luma, picked(cb, i), picked(cr, i), factors);
        const HdrColor encoded = {rgb.red, rgb.green, rgb.blue};
        const HdrColor light = hdr_light(encoded, curve);
        const int32_t place = y * args.rgb_row + x;
        red.data[place] = light.red;
        green.data[place] = light.green;
        blue.data[place] = light.blue;
      }
    }
  }
}
