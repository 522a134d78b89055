// The reference picture of a pair, in C++.
#pragma once

#include "kernel/kernel.h"

namespace acutance {
#include "metric/blocks/reference_of.kernel.h"
}  // namespace acutance
