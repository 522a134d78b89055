// Border rules in C++.
#pragma once

#include "kernel/kernel.h"

namespace acutance {
#include "metric/blocks/border.kernel.h"
}  // namespace acutance
