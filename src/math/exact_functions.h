// The source of all exact functions, for one set of instructions: math/exact_math.cc includes this twice.
// The order matters.
// clang-format off
#include "math/exact_float.kernel.h"
#include "math/exact_double.kernel.h"
#include "math/exact_math.kernel.h"
#include "math/exact_trigonometry.kernel.h"
// clang-format on

[[maybe_unused]] static inline void exact_exp_all(CONST_BUFFER(uint64_t) t, double* x, unsigned long count) {
  for (unsigned long i = 0; i < count; ++i) x[i] = exact_exp(t, x[i]);
}
