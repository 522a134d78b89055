#pragma once

#include "kernel/kernel.h"

#define HDR_STRIP 64  // rows of a partial result

// Sums over strips, by columns, of what both videos' light gives.
struct HdrStripsArgs {
  CONST_BUFFER(float) reference_red, reference_green, reference_blue;
  CONST_BUFFER(float) distorted_red, distorted_green, distorted_blue;
  BUFFER(double) columns;  // [pair][strip][sum][column]
  BUFFER(float) map;       // of delta_e_itp, where `draws`
  int64_t picture, map_picture;
  int32_t row, map_row, width, height;
  uint32_t inverse;                 // of the pairs that share a reference (reference_of)
  float of_red, of_green, of_blue;  // in luminance
  int32_t is_bt2020, draws;
};

// Luminance of a video's pictures, encoded by PU21.
struct PuLuminanceArgs {
  CONST_BUFFER(float) red, green, blue;
  BUFFER(float) to;
  int64_t picture, to_picture;
  int32_t row, to_row, width, height;
  float of_red, of_green, of_blue;
};

// Sums of 1 - SSIM over strips, by columns.
struct PuSsimArgs {
  CONST_BUFFER(float) reference, distorted;
  BUFFER(double) columns;  // [pair][strip][column]
  int64_t picture;
  int32_t row, width, height;
  uint32_t inverse;
};

struct HdrSumsArgs {
  CONST_BUFFER(double) columns;
  BUFFER(double) words;  // [pair][strip][sum]
  int32_t width, sums;
  uint32_t largest;  // a mask: of these sums the largest number counts
};
