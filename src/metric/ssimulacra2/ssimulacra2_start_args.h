#pragma once

#include "kernel/kernel.h"

// Converts a video's pictures from samples to the colors that cones see, and to light at half the size.
struct Ssimulacra2StartArgs {
  CONST_BUFFER(PIXEL) luma, cb, cr;
  CONST_BUFFER(uint32_t) factors;  // LinearRgbFactors
  BUFFER(float) colors;            // [picture][plane][row][column]
  BUFFER(float) half_light;        // likewise
  int64_t luma_picture;            // samples from picture to picture
  int64_t chroma_picture;
  int64_t color_plane;  // floats from plane to plane
  int64_t half_plane;
  int32_t luma_row;  // and from row to row
  int32_t chroma_row, color_row, half_row, width, height;
  int32_t chroma_width;  // 0: there is no chroma
  int32_t chroma_height;
  int32_t across;  // CHROMA_...
  int32_t down;
};
