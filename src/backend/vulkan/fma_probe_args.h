#pragma once

#include "kernel/kernel.h"

#define FUSED_TRIAL_RESULTS 4

struct FmaProbeArgs {
  CONST_BUFFER(float) numbers;  // three a trial
  BUFFER(uint32_t) results;     // FUSED_TRIAL_RESULTS a trial
  int32_t count;
  int32_t padding;  // equal arguments have equal bytes
};
