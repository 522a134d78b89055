#pragma once

#include "kernel/kernel.h"

struct CiedeRowsArgs {
  CONST_BUFFER(float) differences;
  BUFFER(double) words;  // [pair][row]
  int32_t width;
  int32_t height;
  int32_t difference_row;
};
