// The test of the kernel that splits NVDEC's frames into planes (exec/frame_unpacker.h), on
// samples made by a formula.
#pragma once

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Tests both sample sizes, with every second sample and with shifted ones, as in the chroma of
/// NV12 and P010. The error names the first wrong sample.
Status TestUnpacking(Device& device);

}  // namespace acutance
