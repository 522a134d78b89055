#pragma once

#include "kernel/kernel.h"

struct ExpandSamplesArgs {
  CONST_BUFFER(uint32_t) from;  // 4 / SAMPLE_BYTES samples a word
  BUFFER(uint32_t) to;          // two samples a word
  int64_t from_picture;         // words from picture to picture
  int64_t to_picture;
  int32_t from_row;  // words from row to row
  int32_t to_row;
  int32_t words;  // of a row of `from`
  int32_t height;
  int32_t shift;
  int32_t padding;  // equal arguments have equal bytes
};
