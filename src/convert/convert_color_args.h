#pragma once

#include "kernel/kernel.h"

struct ChangeColorArgs {
  CONST_BUFFER(uint32_t) first;  // the planes that are added up; a word has several samples
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
  int32_t words;  // of a row of results
  int32_t height;
  int32_t bits;
  int32_t from_top;  // the largest sample
  int32_t to_top;
  int32_t padding;
};
