#pragma once

#include "kernel/kernel.h"

struct ChangeColorArgs {
  CONST_BUFFER(uint32_t) first;  // the planes that are added up; 4 / SAMPLE_BYTES samples a word
  CONST_BUFFER(uint32_t) second;
  CONST_BUFFER(uint32_t) third;
  BUFFER(uint32_t) to;
  int64_t first_weight;
  int64_t second_weight;
  int64_t third_weight;
  int64_t bias;
  int64_t from_picture;  // words from picture to picture
  int64_t to_picture;
  int32_t from_row;  // words from row to row
  int32_t to_row;
  int32_t words;  // of a row
  int32_t height;
  int32_t bits;
  int32_t top;  // the largest sample
};
