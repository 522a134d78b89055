// A device proves itself before its first use: every kernel, on pictures made by a formula, must give the CPU's sums.
#pragma once

#include <string>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// TestUnpacking, and every metric that has a device plan, with its options, depths and workload classes. The error
/// names the metric, the options, the size, and the first sum that differs.
Status RunSelfTest(Device& device);

/// RunSelfTest, unless this device passed it with this driver and these kernels before: what the user's cache folder
/// says (base/file_cache.h).
Status CheckDeviceOnce(Device& device);

/// RunSelfTest whatever was remembered, and remembers its outcome: a device that fails is no longer believed.
Status CheckDeviceAnew(Device& device);

/// What the cache remembers a device by: backend, name, identity, driver and a hash of this build's kernels.
std::string SelfTestKey(const DeviceInfo& info);

}  // namespace acutance
