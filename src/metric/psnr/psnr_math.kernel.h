// Arguments of psnr's kernel, and the arithmetic that it shares with the reference implementation.
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
  uint32_t inverse;  // of the pairs that share a reference picture (reference_of)
  int32_t partials_per_frame;
  int32_t first_partial;
};

// Samples have at most 16 bits: the square fits 32 bits, where the difference may wrap.
FUNCTION(uint32_t) squared_error(uint32_t reference, uint32_t distorted) {
  const uint32_t error = reference - distorted;
  return error * error;
}
