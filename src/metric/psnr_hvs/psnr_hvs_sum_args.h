#pragma once

#include "kernel/kernel.h"

// Neighbouring blocks in a group of terms: [group][coefficient][block].
#define HVS_GROUP 32

struct HvsSumArgs {
  CONST_BUFFER(float) terms;  // [pair][plane][group of blocks][coefficient][block]
  BUFFER(uint32_t) words;     // [pair][plane][2]: the sum, and zero bits up to 64
  int64_t pair_terms;
  int32_t luma_terms;  // of a plane, those of blocks beyond the last one in its group included
  int32_t chroma_terms, luma_blocks, chroma_blocks;
};
