// Runs the kernel that uses every word of the kernel language (kernel/probe/language.kernel.h) on a device, for the
// tests of all backends.
#pragma once

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Fails with the first number that differs from the known answer, or with what the device said.
Status RunLanguageProbe(Device& device);

}  // namespace acutance
