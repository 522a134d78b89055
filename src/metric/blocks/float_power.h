// Logarithms and powers of floats whose bits devices have, too.
#pragma once

#include "kernel/kernel.h"

namespace acutance {
#include "metric/blocks/float_power.kernel.h"
}  // namespace acutance
