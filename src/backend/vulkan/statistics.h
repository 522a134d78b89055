// What the driver made of a kernel: registers, spills, shared memory. ACUTANCE_VULKAN_STATISTICS=1 prints it.
#pragma once

#include <string_view>

#include "backend/vulkan/context.h"

namespace acutance::vulkan {

/// To standard error. The pipeline was compiled with VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR.
void PrintStatistics(const Context& context, VkPipeline pipeline, std::string_view kernel);

}  // namespace acutance::vulkan
