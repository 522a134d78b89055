// Division of floats by fused operations and an estimate of 1 / b within two units in the last place, without a branch.
// Whether it is rounded correctly must have been tried for all arguments that a kernel has; the few that are known not
// to be have a 1 / b that all but lies in the middle of two floats. metric/blocks/linear_rgb_test.cc tries those of
// light. Devices whose own division or whose fused operation is no better have that of exact_by_doubles.kernel.h.
#pragma once

#include "kernel/exact_by_doubles.kernel.h"
#include "kernel/fused.kernel.h"

FUNCTION(float) divide_by_fused(float a, float b, float estimate) {
  const float inverse = fused(estimate, fused(-b, estimate, 1.0f), estimate);
  const float first = a * inverse;
  const float second = fused(fused(-b, first, a), inverse, first);
  return fused(fused(-b, second, a), inverse, second);
}

#ifdef ACU_DIVIDES_BY_FUSED
#undef exact_divide_float
#define exact_divide_float(A, B) divide_by_estimate(A, B)
FUNCTION(float) divide_by_estimate(float a, float b) { return divide_by_fused(a, b, estimate_reciprocal(b)); }
#endif
