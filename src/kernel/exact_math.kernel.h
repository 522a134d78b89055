// The exact functions of base/exact_math.h as words of the kernel language, and the exact arithmetic that they are made
// of. `t` is a buffer with kExactTable. Arguments, results and what lies between are no subnormal numbers: devices may
// take those for 0.
#pragma once

#include "base/exact_tables.h"
#include "kernel/exact_float.kernel.h"
// The order matters.
// clang-format off
#include "base/exact_double.kernel.h"
#include "base/exact_math.kernel.h"
#include "base/exact_trigonometry.kernel.h"
// clang-format on
