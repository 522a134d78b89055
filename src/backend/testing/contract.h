// Tests of the contract in exec/device.h, for a device of any backend. Violations are failures of the calling test.
#pragma once

#include "exec/device.h"

namespace acutance {

/// Opens the device anew for each part of the contract. kernel: one that it loads, with arguments; it is not launched.
void TestContract(const Backend& backend, int index, const KernelImage& kernel);

/// A driver does not survive a fork: the child opens no device, and the parent continues.
void TestFork(const Backend& backend, int index);

}  // namespace acutance
