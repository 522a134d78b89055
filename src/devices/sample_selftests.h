// The tests of the kernels that rearrange samples, on those made by a formula: they split NVDEC's frames into planes
// (exec/surface_splitter.h) and raise bit depths (metric/deeper_input.h).
#pragma once

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Tests both sample sizes, with every second sample and with shifted ones, as in the chroma of
/// NV12 and P010. The error names the first wrong sample.
Status TestUnpacking(Device& device);

/// Tests both sample sizes, in two pictures whose rows fill no word.
Status TestRaising(Device& device);

}  // namespace acutance
