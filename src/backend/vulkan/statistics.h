// The registers, spills and shared memory of a compiled kernel, which
// ACUTANCE_VULKAN_STATISTICS=1 prints.
#pragma once

#include <string_view>

#include "backend/vulkan/context.h"

namespace acutance::vulkan {

/// Prints to standard error. The pipeline must have been compiled with VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR.
void PrintStatistics(const Context& context, VkPipeline pipeline, std::string_view kernel);

}  // namespace acutance::vulkan
