// From samples to linear light (docs/spec/beyond.md 1): an item has a pixel. PIXEL: uint8_t or uint16_t.
#include "kernel/exact_floats.kernel.h"
#include "metric/blocks/linear_rgb_args.h"
#include "metric/blocks/linear_rgb_math.kernel.h"

struct LinearRgbShared {
  int32_t unused;
};

KERNEL_USES(LinearRgbArgs, LinearRgbShared)

#define TAPS 4

// ChromaTaps
struct ChromaFilter {
  int32_t first;
  int32_t weight[TAPS];
};

FUNCTION(ChromaFilter) filter_of(int32_t first, int32_t w0, int32_t w1, int32_t w2, int32_t w3) {
  ChromaFilter taps;
  taps.first = first;
  taps.weight[0] = w0;
  taps.weight[1] = w1;
  taps.weight[2] = w2;
  taps.weight[3] = w3;
  return taps;
}

FUNCTION(ChromaFilter) filter_at(int32_t axis, int32_t position) {
  const int32_t middle = position / 2;
  const bool odd = (position & 1) != 0;
  if (axis == CHROMA_AS_LUMA) return filter_of(position, 1, 0, 0, 0);
  if (axis == CHROMA_DOUBLED_CENTRED && odd) return filter_of(middle - 1, -9, 111, 29, -3);
  if (axis == CHROMA_DOUBLED_CENTRED) return filter_of(middle - 2, -3, 29, 111, -9);
  if (odd) return filter_of(middle - 1, -1, 9, 9, -1);
  return filter_of(middle - 1, 0, 16, 0, 0);
}

FUNCTION(int32_t) inside(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? 0 : i;
  return from_0 < size ? from_0 : size - 1;
}

FUNCTION(int32_t) chroma_at(CONTEXT(CONST_BUFFER(PIXEL) plane, int32_t x, int32_t y)) {
  const ChromaFilter across = filter_at(args.across, x);
  const ChromaFilter down = filter_at(args.down, y);
  int32_t sum = 0;
  UNROLL for (int32_t j = 0; j < TAPS; ++j) {
    if (down.weight[j] != 0) {
      const int32_t row = inside(down.first + j, args.chroma_height) * args.chroma_row;
      int32_t filtered = 0;
      UNROLL for (int32_t i = 0; i < TAPS; ++i) {
        if (across.weight[i] != 0) {
          filtered += across.weight[i] * int32_t(plane.data[row + inside(across.first + i, args.chroma_width)]);
        }
      }
      sum += down.weight[j] * filtered;
    }
  }
  return sum;
}

FUNCTION(LinearRgbFactors) read_factors(CONTEXT()) {
  LinearRgbFactors factors;
  factors.luma_offset = int32_t(args.factors.data[0]);
  factors.chroma_offset = int32_t(args.factors.data[1]);
  factors.luma_scale = bits_float(args.factors.data[2]);
  factors.chroma_scale = bits_float(args.factors.data[3]);
  factors.cr_red = bits_float(args.factors.data[4]);
  factors.cb_blue = bits_float(args.factors.data[5]);
  factors.cb_green = bits_float(args.factors.data[6]);
  factors.cr_green = bits_float(args.factors.data[7]);
  factors.transfer = int32_t(args.factors.data[8]);
  factors.clips = int32_t(args.factors.data[9]);
  return factors;
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  if (x < args.width && y < args.height) {
    const int64_t picture = int64_t(group_z());
    const LinearRgbFactors factors = read_factors(PASS());
    CONST_BUFFER(PIXEL) lumas = CONST_BUFFER_AT(PIXEL, args.luma, picture * args.luma_picture);
    const int32_t luma = int32_t(lumas.data[y * args.luma_row + x]);
    int32_t cb = factors.chroma_offset;
    int32_t cr = factors.chroma_offset;
    if (args.chroma_width > 0) {
      cb = chroma_at(PASS(CONST_BUFFER_AT(PIXEL, args.cb, picture * args.chroma_picture), x, y));
      cr = chroma_at(PASS(CONST_BUFFER_AT(PIXEL, args.cr, picture * args.chroma_picture), x, y));
    }
    const LinearRgb rgb = linear_rgb(luma, cb, cr, factors);
    BUFFER(float) red = BUFFER_AT(float, args.red, picture* args.rgb_picture);
    BUFFER(float) green = BUFFER_AT(float, args.green, picture* args.rgb_picture);
    BUFFER(float) blue = BUFFER_AT(float, args.blue, picture* args.rgb_picture);
    const int32_t place = y * args.rgb_row + x;
    red.data[place] = rgb.red;
    green.data[place] = rgb.green;
    blue.data[place] = rgb.blue;
  }
}
