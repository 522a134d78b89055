// Chroma of 2x2 pixels at a time, which is computed from the same samples (docs/spec/beyond.md 1.3). Comes after
// KERNEL_USES of arguments that have factors, across, down, chroma_width, chroma_height and chroma_row
// (linear_rgb_args.h).
#pragma once

#include "metric/blocks/linear_rgb_args.h"
#include "metric/blocks/linear_rgb_math.kernel.h"

#define TAPS 5  // of both pixels along an axis

// The first sample of pixels 2 * pair and 2 * pair + 1; the plane's first and last stand for those beyond.
FUNCTION(int32_t) first_tap(int32_t axis, int32_t pair) {
  if (axis == CHROMA_AS_LUMA) return 2 * pair;
  return axis == CHROMA_DOUBLED ? pair - 1 : pair - 2;
}

// Whether sample `tap` has a weight.
FUNCTION(bool) is_read(int32_t axis, int32_t tap) {
  return axis == CHROMA_AS_LUMA ? tap < 2 : tap < 4 || axis == CHROMA_DOUBLED_CENTRED;
}

FUNCTION(int32_t) pick(int32_t axis, int32_t as_luma, int32_t doubled, int32_t centred) {
  if (axis == CHROMA_AS_LUMA) return as_luma;
  return axis == CHROMA_DOUBLED ? doubled : centred;
}

// Weights of the even and the odd pixel (ChromaAxis::TapsAt).
TABLE(int32_t, kEvenDoubled, TAPS) = {0, 16, 0, 0, 0};
TABLE(int32_t, kOddDoubled, TAPS) = {-1, 9, 9, -1, 0};
TABLE(int32_t, kEvenCentred, TAPS) = {-3, 29, 111, -9, 0};
TABLE(int32_t, kOddCentred, TAPS) = {0, -9, 111, 29, -3};
FUNCTION(int32_t) even_weight(int32_t axis, int32_t tap) {
  return pick(axis, tap == 0 ? 1 : 0, kEvenDoubled[tap], kEvenCentred[tap]);
}
FUNCTION(int32_t) odd_weight(int32_t axis, int32_t tap) {
  return pick(axis, tap == 1 ? 1 : 0, kOddDoubled[tap], kOddCentred[tap]);
}

FUNCTION(int32_t) inside(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? 0 : i;
  return from_0 < size ? from_0 : size - 1;
}

// The values of 2x2 pixels: the upper row's, then the lower row's.
struct ChromaQuad {
  int32_t value[4];
};

FUNCTION(ChromaQuad) chroma_at(CONTEXT(CONST_BUFFER(PIXEL) plane, int32_t x_pair, int32_t y_pair)) {
  ChromaQuad sums;
  UNROLL for (int32_t i = 0; i < 4; ++i) sums.value[i] = 0;
  int32_t rows[TAPS];
  UNROLL for (int32_t j = 0; j < TAPS; ++j) {
    rows[j] = inside(first_tap(args.down, y_pair) + j, args.chroma_height) * args.chroma_row;
  }
  UNROLL for (int32_t i = 0; i < TAPS; ++i) {
    if (is_read(args.across, i)) {
      const int32_t column = inside(first_tap(args.across, x_pair) + i, args.chroma_width);
      int32_t upper = 0;
      int32_t lower = 0;
      UNROLL for (int32_t j = 0; j < TAPS; ++j) {
        if (is_read(args.down, j)) {
          const int32_t value = int32_t(plane.data[rows[j] + column]);
          upper += even_weight(args.down, j) * value;
          lower += odd_weight(args.down, j) * value;
        }
      }
      sums.value[0] += even_weight(args.across, i) * upper;
      sums.value[1] += odd_weight(args.across, i) * upper;
      sums.value[2] += even_weight(args.across, i) * lower;
      sums.value[3] += odd_weight(args.across, i) * lower;
    }
  }
  return sums;
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
  factors.is_rgb = int32_t(args.factors.data[10]);
  return factors;
}
