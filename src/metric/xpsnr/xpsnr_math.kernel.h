// Arithmetic of xpsnr's samples, in whole numbers (docs/spec/beyond.md 2.3).
#pragma once

#include "kernel/kernel.h"

// The sums of a block.
#define XPSNR_ERROR 0
#define XPSNR_SPATIAL 1
#define XPSNR_TEMPORAL 2
#define XPSNR_ERROR_U 3
#define XPSNR_ERROR_V 4
#define XPSNR_CHROMA 5  // the samples of u
#define XPSNR_WORDS 6

// Samples have at most 16 bits.
FUNCTION(uint64_t) squared_error(int32_t reference, int32_t distorted) {
  const int64_t error = int64_t(reference) - int64_t(distorted);
  return uint64_t(error * error);
}

// Activities take samples of 16 bits as signed ones, as FFmpeg does.
FUNCTION(int32_t) activity_sample(int32_t value, int32_t bit_depth) {
  return bit_depth == 16 && value > 32767 ? value - 65536 : value;
}

// |high pass| of a sample: `sides` and `corners` are sums of its neighbours.
FUNCTION(int32_t) high_pass(int32_t centre, int32_t sides, int32_t corners) {
  const int32_t value = 12 * centre - 2 * sides - corners;
  return value < 0 ? -value : value;
}

// |high pass| of a cell of 2x2 samples: sums of its samples, of the 8 next to it, of the 4 at its corners and of the 16
// around those.
FUNCTION(int32_t) cell_high_pass(int32_t cell, int32_t sides, int32_t corners, int32_t ring) {
  const int32_t value = 12 * cell - 3 * sides - 2 * corners - ring;
  return value < 0 ? -value : value;
}

// How a sample changes over time: by its difference, or by how that differs from the one before. Samples before the
// clip are 0.
FUNCTION(int32_t) temporal_change(int32_t now, int32_t before, int32_t before_that, bool second_order) {
  return second_order ? now - 2 * before + before_that : now - before;
}
