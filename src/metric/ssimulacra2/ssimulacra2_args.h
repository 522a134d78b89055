#pragma once

#include "kernel/kernel.h"

// Of a video's pictures, three planes each: half the size, or the colors that cones see.
struct Ssimulacra2PlanesArgs {
  CONST_BUFFER(float) red;
  CONST_BUFFER(float) green;
  CONST_BUFFER(float) blue;
  BUFFER(float) to;        // [picture][plane][row][column]
  int64_t picture_stride;  // of what is read, from picture to picture
  int32_t row_stride;
  int32_t width;  // of what is read
  int32_t height;
  int32_t to_row;
  int64_t to_plane;  // floats from plane to plane
};

struct Ssimulacra2BlurArgs {
  CONST_BUFFER(float) reference;  // one plane of its perceived colors
  CONST_BUFFER(float) distorted;
  BUFFER(float) rows;      // [pair][field][row][column]: blurred along the rows
  BUFFER(double) columns;  // [pair][strip][sum][column]
  BUFFER(double) words;    // of the component at this scale
  int64_t picture;         // floats from picture to picture of the colors
  int64_t field;           // and from field to field
  int64_t pair;            // and from pair to pair of the rows
  int32_t row;             // and from row to row
  int32_t width;
  int32_t height;
  int32_t fields;  // 2: the means; 5: their squares and product, too
  int32_t needs;   // bit i: sum i is made
  int32_t strips;
  int32_t pair_words;
  uint32_t inverse;  // reference_of
};
