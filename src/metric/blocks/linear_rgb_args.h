#pragma once

#include "kernel/kernel.h"

// ChromaAxis
#define CHROMA_AS_LUMA 0
#define CHROMA_DOUBLED 1
#define CHROMA_DOUBLED_CENTRED 2

struct LinearRgbArgs {
  CONST_BUFFER(PIXEL) luma;
  CONST_BUFFER(PIXEL) cb;
  CONST_BUFFER(PIXEL) cr;
  BUFFER(float) red;
  BUFFER(float) green;
  BUFFER(float) blue;
  CONST_BUFFER(uint32_t) factors;  // LinearRgbFactors, word by word
  int64_t luma_picture;            // samples from picture to picture
  int64_t chroma_picture;
  int64_t rgb_picture;
  int32_t luma_row;  // and from row to row
  int32_t chroma_row;
  int32_t rgb_row;
  int32_t width;
  int32_t height;
  int32_t chroma_width;  // 0: there is no chroma
  int32_t chroma_height;
  int32_t across;
  int32_t down;
};
