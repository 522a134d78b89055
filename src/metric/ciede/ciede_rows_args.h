#pragma once

#include "kernel/kernel.h"

struct CiedeRowsArgs {
  CONST_BUFFER(float) differences;
  BUFFER(double) words;  // [pair][row]
  int32_t width, height, difference_row;
};
