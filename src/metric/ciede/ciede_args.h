#pragma once

#include "kernel/kernel.h"

// How chroma belongs to luma: CiedeChroma.
#define CIEDE_444 0
#define CIEDE_420 1
#define CIEDE_422 2

struct CiedePixelsArgs {
  CONST_BUFFER(PIXEL) reference, reference_cb, reference_cr, distorted, distorted_cb, distorted_cr;
  CONST_BUFFER(double) steps;  // CiedeSteps
  BUFFER(float) differences;   // [pair][row][column]
  int64_t luma_picture;        // samples from picture to picture
  int64_t chroma_picture;
  int32_t luma_row;  // and from row to row
  int32_t chroma_row, width, height, chroma_width, chroma_height;
  int32_t chroma_stride;  // of libvmaf's planes
  int32_t chroma_kind;
  int32_t unit;      // of samples: what 1 is at 8 bits
  uint32_t inverse;  // reference_of
  int32_t difference_row;
};
