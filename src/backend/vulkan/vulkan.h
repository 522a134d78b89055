// GPUs of every vendor, and Mesa's llvmpipe on the CPU. The loader is opened at run time, kernels come as embedded
// SPIR-V. Needs Vulkan 1.2.
#pragma once

#include "exec/device.h"

namespace acutance {

extern const Backend kVulkanBackend;

}  // namespace acutance
