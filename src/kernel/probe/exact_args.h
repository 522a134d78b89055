#pragma once

#include "kernel/kernel.h"

struct ExactArgs {
  CONST_BUFFER(uint64_t) table;  // kExactTable
  CONST_BUFFER(double) numbers;  // [item]: x, y, z, and another x, whose y is negative
  BUFFER(uint64_t) results;      // [item][of both x][EXACT_RESULTS]: patterns
  int32_t count;
  int32_t rounds;  // 2: a number that compilers do not know, so that they leave the loop alone
};

#define EXACT_RESULTS 4
#define EXACT_ARITHMETIC 0
#define EXACT_POWERS 1
#define EXACT_LOGARITHMS 2
#define EXACT_ANGLES 3
#define EXACT_FUSED 4
