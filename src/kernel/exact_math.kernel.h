// The exact functions of math/exact_math.h as words of the kernel language, and the exact arithmetic that they are made
// of. `t` is a buffer with kExactTable. Arguments, results and what lies between are no subnormal numbers: devices may
// take those for 0.
#pragma once

#include "kernel/exact_float.kernel.h"
#include "math/exact_tables.h"
// The order matters.
// clang-format off
#include "math/exact_double.kernel.h"
#include "math/exact_math.kernel.h"
#include "math/exact_trigonometry.kernel.h"
// clang-format on
