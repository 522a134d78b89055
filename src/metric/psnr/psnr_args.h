#pragma once

#include "kernel/kernel.h"

struct PsnrSseArgs {
  CONST_BUFFER(uint32_t) reference;  // words of four 8-bit or two 16-bit samples
  CONST_BUFFER(uint32_t) distorted;
  BUFFER(uint64_t) partials;
  int64_t picture_words;  // from picture to picture
  int32_t row_words;      // from row to row
  int32_t width;          // in samples
  int32_t height;
  int32_t videos;  // pairs that share a reference picture
  int32_t partials_per_frame;
  int32_t first_partial;
};
