#pragma once

#include "kernel/kernel.h"

// Makes pictures of half the size, or the colors that cones see, of a video's pictures with three planes each.
struct Ssimulacra2PlanesArgs {
  CONST_BUFFER(float) red, green, blue;
  BUFFER(float) to;        // [picture][plane][row][column]
  int64_t picture_stride;  // of what is read, from picture to picture
  int32_t row_stride;
  int32_t width;  // of what is read
  int32_t height, to_row;
  int64_t to_plane;  // floats from plane to plane
};

// Blurs all components of one scale.
struct Ssimulacra2BlurArgs {
  CONST_BUFFER(float) reference;  // its perceived colors
  CONST_BUFFER(float) distorted;
  BUFFER(float) rows;      // [pair][component's field][row][column]: blurred along the rows
  BUFFER(double) columns;  // [pair][component][strip][sum][column]
  BUFFER(double) words;    // of this scale
  int64_t plane;           // floats from plane to plane
  int64_t pair;            // and from pair to pair of the rows
  int32_t row;             // and from row to row
  int32_t width, height;
  int32_t fields;  // of component c, 4 bits from bit 4 c on. 2: the means; 5: their squares and product, too; 0: none
  int32_t needs;   // bit SSIMULACRA2_SUMS * c + i: sum i of component c is made
  int32_t strips, pair_words;
  uint32_t inverse;  // reference_of
};

#define SSIMULACRA2_COMPONENTS 3
#define SSIMULACRA2_SUMS 6
