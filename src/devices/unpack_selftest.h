// The kernel that takes NVDEC's frames apart (exec/frame_unpacker.h), on samples made by a formula.
#pragma once

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Of both sample sizes, every second sample and shifted, as of the chroma of NV12 and P010. The error names the first
/// sample that is wrong.
Status TestUnpacking(Device& device);

}  // namespace acutance
