#pragma once

#include "kernel/kernel.h"

struct SpeedSharpenArgs {
  CONST_BUFFER(float) samples;  // [picture][row][column]
  CONST_BUFFER(float) taps;
  BUFFER(float) sharp;  // likewise
  int32_t columns, rows, tap_count, padding;
};

struct SpeedCovarianceArgs {
  CONST_BUFFER(float) sharp;
  BUFFER(float) covariances;  // [picture][25][25]
  int32_t columns, rows, window_columns, window_rows;
};

struct SpeedAlgebraArgs {
  CONST_BUFFER(float) covariances;
  BUFFER(float) eigenvalues;  // [picture][25]
  BUFFER(float) equations;    // [picture][2][25][25]: orthogonal and triangular matrix
  BUFFER(int32_t) states;     // [picture][2]: SPEED_REGULAR or SPEED_SINGULAR of the eigenvalues; of the equations
};

struct SpeedBlocksArgs {
  CONST_BUFFER(float) sharp, eigenvalues, equations;
  CONST_BUFFER(int32_t) states;
  CONST_BUFFER(uint64_t) exact_table;
  BUFFER(uint64_t) words;  // [pair][picture of the pair][block, then whether the covariances have no inverse]
  double entropy_of_one;   // SpeedEntropyOfOne
  float sigma_nn;
  int32_t columns, rows, blocks_across, blocks, frames, videos;
  int32_t pictures;  // of a pair
};
