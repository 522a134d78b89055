// Runs the exact functions of the kernel language (kernel/probe/exact.kernel.h) on a device, for the tests of all
// backends.
#pragma once

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Fails with the first result whose bits are not those of math/exact_math.h, or with what the device said.
Status RunExactProbe(Device& device, int count = 10'000);

}  // namespace acutance
