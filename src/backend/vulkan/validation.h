// Khronos' validation layer, for tests and for people who look for a fault: ACUTANCE_VULKAN_VALIDATION=1.
#pragma once

#include "backend/vulkan/functions.h"
#include "base/status.h"

namespace acutance::vulkan {

inline constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

bool WantsValidation();

/// Fails where the layer is not installed.
Status CheckValidationLayer(const LoaderFunctions& loader);

/// Where the layer's warnings and errors go: to standard error, and to VulkanValidationMessages().
VkDebugUtilsMessengerCreateInfoEXT MessengerSettings();

}  // namespace acutance::vulkan
