// GPUs of every vendor, and Mesa's llvmpipe on the CPU. The loader is opened at run time, kernels come as embedded
// SPIR-V. Needs Vulkan 1.2.
#pragma once

#include <string>
#include <vector>

#include "exec/device.h"

namespace acutance {

extern const Backend kVulkanBackend;

/// What Khronos' validation layer has said in this process. ACUTANCE_VULKAN_VALIDATION=1 turns it on.
std::vector<std::string> VulkanValidationMessages();

}  // namespace acutance
