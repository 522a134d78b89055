#pragma once

#include "kernel/kernel.h"

// The planes of floats of a picture at one scale. Planes replace those that no kernel reads any more.
#define BUTTERAUGLI_PLANES 13
#define BUTTERAUGLI_COLORS 0    // x, y, b
#define BUTTERAUGLI_LOW 3       // x, y, b, before they are weighed
#define BUTTERAUGLI_REST 6      // colors without low frequencies: x, y, b
#define BUTTERAUGLI_MIDDLE 0    // x, y, b
#define BUTTERAUGLI_FINE 9      // and without middle ones: x, y
#define BUTTERAUGLI_HIGH 6      // x, y
#define BUTTERAUGLI_HIGHEST 11  // x, y
#define BUTTERAUGLI_MASK 9
#define BUTTERAUGLI_MAP 8  // of a pair, with the distorted picture

// Linear light to perceived colors.
struct ButteraugliColorsArgs {
  CONST_BUFFER(float) reference_red, reference_green, reference_blue;
  CONST_BUFFER(float) distorted_red, distorted_green, distorted_blue;
  BUFFER(float) planes;   // [picture][plane][row][column]: first the references, then the distorted pictures
  int64_t light_picture;  // floats from picture to picture of light
  int64_t plane;          // and from plane to plane
  int32_t light_row;      // and from row to row
  int32_t light_width, light_height, row;
  int32_t width;  // of the colors
  int32_t height;
  int32_t before_x;  // columns and rows that extend a small picture before its own
  int32_t before_y;
  int32_t halved;  // 1: colors of half the light's size
  int32_t references;
  float nits;
  int32_t padding;
};

#define BUTTERAUGLI_BLUR_LOW 0
#define BUTTERAUGLI_BLUR_HIGH 1
#define BUTTERAUGLI_BLUR_HIGHEST 2
#define BUTTERAUGLI_BLUR_MASK 3

// A blur, from planes to others of the same pictures.
struct ButteraugliBlurArgs {
  CONST_BUFFER(float) from;     // [picture][plane][row][column]
  BUFFER(float) to;             // the same memory
  CONST_BUFFER(float) weights;  // 2 * RADIUS + 1, then what to multiply the borders' sums by: columns, rows
  int64_t plane;
  int32_t row, width, height, padding;
};

// From two pictures' frequencies to the map.
struct ButteraugliDifferencesArgs {
  CONST_BUFFER(float) planes;     // [picture][plane][row][column]
  BUFFER(float) map;              // [pair][row][column]
  CONST_BUFFER(float) constants;  // at places below
  int64_t plane;
  int64_t map_pair;  // floats from pair to pair
  int32_t row, width, height, references;
  uint32_t inverse;  // reference_of
  int32_t padding;
};

// Places in the constants: norm, both and one_sided of the highest, the high and the middle frequencies of x, then of
// y.
#define BUTTERAUGLI_MALTA 0
#define BUTTERAUGLI_SQUARES 18         // of high frequencies: x, y
#define BUTTERAUGLI_MIDDLE_SQUARES 20  // x, y, b
#define BUTTERAUGLI_LOW_SQUARES 23     // x, y, b
#define BUTTERAUGLI_CONSTANTS 26

// From maps to partial results.
struct ButteraugliSumsArgs {
  CONST_BUFFER(float) map;       // [pair][row][column]
  CONST_BUFFER(float) half_map;  // likewise
  BUFFER(float) artifact;        // likewise
  BUFFER(double) columns;        // [pair][strip][word][column]
  BUFFER(double) words;          // [pair][strip][word]
  int64_t map_pair;              // floats from pair to pair
  int64_t half_pair, artifact_pair;
  int32_t map_row;
  int32_t half_row;      // 0: there is no map at half the size
  int32_t artifact_row;  // 0: it is not asked for
  int32_t width, height, strips, exponent;
  uint32_t zero;
};

#define BUTTERAUGLI_STRIP 64
#define BUTTERAUGLI_WORDS 5  // ButteraugliWord
