// From samples to linear light (docs/spec/beyond.md 1): an item has 2x2 pixels, whose chroma is computed from the
// same samples. PIXEL: uint8_t or uint16_t.
#include "kernel/divide/float_via_fma.kernel.h"
#include "metric/blocks/linear_rgb_args.h"
#include "metric/blocks/linear_rgb_math.kernel.h"

struct LinearRgbShared {
  int32_t unused;
};

KERNEL_USES(LinearRgbArgs, LinearRgbShared)

#include "metric/blocks/chroma_quad.kernel.h"

KERNEL_MAIN() {
  const int32_t x_pair = group_x() * BLOCK_X + local_x();
  const int32_t y_pair = group_y() * BLOCK_Y + local_y();
  if (2 * x_pair < args.width && 2 * y_pair < args.height) {
    const int64_t picture = int64_t(group_z());
    const LinearRgbFactors factors = read_factors(PASS());
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
    UNROLL for (int32_t i = 0; i < 4; ++i) {
      const int32_t x = 2 * x_pair + (i & 1);
      const int32_t y = 2 * y_pair + i / 2;
      if (x < args.width && y < args.height) {
        const int32_t luma = int32_t(lumas.data[y * args.luma_row + x]);
        const LinearRgb rgb = linear_rgb(luma, cb.value[i], cr.value[i], factors);
        const int32_t place = y * args.rgb_row + x;
        red.data[place] = rgb.red;
        green.data[place] = rgb.green;
        blue.data[place] = rgb.blue;
      }
    }
  }
}
