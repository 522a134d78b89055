#pragma once

#include "kernel/kernel.h"

struct UnpackBitsArgs {
  CONST_BUFFER(uint32_t) from;  // packed samples, as PackSamples writes them
  BUFFER(uint32_t) to;          // two samples of 16 bits a word
  int64_t from_picture;         // words from picture to picture
  int64_t to_picture;
  int32_t from_row;  // words from row to row
  int32_t to_row;
  int32_t words;  // of a row of samples
  int32_t height;
  int32_t bits;     // of a sample: at most 16
  int32_t padding;  // equal arguments have equal bytes
};
