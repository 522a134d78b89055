// From samples to what cones see of them, and to light at half the size (docs/spec/beyond.md 1, 3.2, 3.3): an item has
// 2x2 pixels. PIXEL: uint8_t or uint16_t.
#include "kernel/divide/float_via_fma.kernel.h"
#include "metric/ssimulacra2/ssimulacra2_math.kernel.h"
#include "metric/ssimulacra2/ssimulacra2_start_args.h"

KERNEL_USES(Ssimulacra2StartArgs, int32_t)

#include "metric/blocks/chroma_quad.kernel.h"

// The last column and row stand for those beyond.
struct LightQuad {
  LinearRgb light[4];
};

FUNCTION(LightQuad) light_at(CONTEXT(int32_t x_pair, int32_t y_pair)) {
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
  LightQuad quad;
  UNROLL for (int32_t i = 0; i < 4; ++i) {
    const int32_t x = inside(2 * x_pair + (i & 1), args.width);
    const int32_t y = inside(2 * y_pair + i / 2, args.height);
    quad.light[i] = linear_rgb(int32_t(lumas.data[y * args.luma_row + x]), cb.value[i], cr.value[i], factors);
  }
  if (2 * x_pair + 1 >= args.width) {
    quad.light[1] = quad.light[0];
    quad.light[3] = quad.light[2];
  }
  if (2 * y_pair + 1 >= args.height) {
    quad.light[2] = quad.light[0];
    quad.light[3] = quad.light[1];
  }
  return quad;
}

FUNCTION(float) mean_of(float upper_left, float upper_right, float lower_left, float lower_right) {
  return (((upper_left + upper_right) + lower_left) + lower_right) * 0.25f;
}

FUNCTION(void) store_half(CONTEXT(LightQuad quad, int32_t x, int32_t y)) {
  const int64_t first = int64_t(group_z()) * int64_t(3) * args.half_plane;
  const int32_t place = y * args.half_row + x;
  BUFFER(float) red = BUFFER_AT(float, args.half_light, first);
  BUFFER(float) green = BUFFER_AT(float, args.half_light, first + args.half_plane);
  BUFFER(float) blue = BUFFER_AT(float, args.half_light, first + int64_t(2) * args.half_plane);
  red.data[place] = mean_of(quad.light[0].red, quad.light[1].red, quad.light[2].red, quad.light[3].red);
  green.data[place] = mean_of(quad.light[0].green, quad.light[1].green, quad.light[2].green, quad.light[3].green);
  blue.data[place] = mean_of(quad.light[0].blue, quad.light[1].blue, quad.light[2].blue, quad.light[3].blue);
}

KERNEL_MAIN() {
  const int32_t x_pair = group_x() * BLOCK_X + local_x();
  const int32_t y_pair = group_y() * BLOCK_Y + local_y();
  if (2 * x_pair < args.width && 2 * y_pair < args.height) {
    const LightQuad quad = light_at(PASS(x_pair, y_pair));
    store_half(PASS(quad, x_pair, y_pair));
    const int64_t first = int64_t(group_z()) * int64_t(3) * args.color_plane;
    BUFFER(float) to_x = BUFFER_AT(float, args.colors, first);
    BUFFER(float) to_y = BUFFER_AT(float, args.colors, first + args.color_plane);
    BUFFER(float) to_b = BUFFER_AT(float, args.colors, first + int64_t(2) * args.color_plane);
    UNROLL for (int32_t i = 0; i < 4; ++i) {
      const int32_t x = 2 * x_pair + (i & 1);
      const int32_t y = 2 * y_pair + i / 2;
      if (x < args.width && y < args.height) {
        const PerceivedColor color = perceived_color(quad.light[i].red, quad.light[i].green, quad.light[i].blue);
        const int32_t place = y * args.color_row + x;
        to_x.data[place] = color.x;
        to_y.data[place] = color.y;
        to_b.data[place] = color.b;
      }
    }
  }
}
