// Chroma at a sample of luma by the common conversion (docs/spec/cvvdp.md 1.3): the cubic filter of docs/spec/beyond.md
// 1.3. Included after KERNEL_USES; the arguments have chroma_width, chroma_height and chroma_row.
#pragma once

#include "metric/blocks/linear_rgb_args.h"

#define CHROMA_TAPS 4

// ChromaTaps
struct ChromaFilter {
  int32_t first;
  int32_t weight[CHROMA_TAPS];
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

// At luma's sample (x, y).
FUNCTION(int32_t)
chroma_at(CONTEXT(CONST_BUFFER(PIXEL) plane, ChromaFilter across, ChromaFilter down)) {
  int32_t sum = 0;
  UNROLL for (int32_t j = 0; j < CHROMA_TAPS; ++j) {
    if (down.weight[j] != 0) {
      const int32_t row = inside(down.first + j, args.chroma_height) * args.chroma_row;
      int32_t filtered = 0;
      UNROLL for (int32_t i = 0; i < CHROMA_TAPS; ++i) {
        if (across.weight[i] != 0) {
          filtered += across.weight[i] * int32_t(plane.data[row + inside(across.first + i, args.chroma_width)]);
        }
      }
      sum += down.weight[j] * filtered;
    }
  }
  return sum;
}
