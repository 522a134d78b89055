#pragma once

#include "kernel/kernel.h"

struct FaultsArgs {
  BUFFER(int32_t) results;  // [item]
  int32_t fault;            // FAULT_...
  int32_t limit;            // items below it behave differently
};

#define FAULT_DIVERGENT_BARRIER 1
#define FAULT_DIVERGENT_WAVE 2
#define FAULT_UNWRITTEN_SHARED 3
#define FAULT_RACE 4
