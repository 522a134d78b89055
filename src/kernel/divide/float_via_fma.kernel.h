// Division of floats by fused operations, without a branch, for kernels whose arguments, quotients and remainders are
// normal. CUDA and HIP have estimates of 1 / b that are good enough for a shorter way, which must have been tried for
// all arguments that a kernel has (metric/blocks/linear_rgb_test.cc tries those of light). On devices without fused
// operations of floats it is made of doubles.
#pragma once

#include "kernel/divide/newton.kernel.h"

#ifdef ACU_DIVIDES_BY_FUSED
#undef exact_divide_float
#define exact_divide_float(A, B) divide_by_estimate(A, B)
FUNCTION(float) divide_by_estimate(float a, float b) { return divide_tried_by_fused(a, b, estimate_reciprocal(b)); }
#endif

#ifdef ACU_DIALECT_GLSL
#undef exact_divide_float
#define exact_divide_float(A, B) divide_normal_floats(A, B)
#endif
