// The meaning of Vulkan's result codes.
#pragma once

#include <string>
#include <string_view>

#include "backend/vulkan/functions.h"
#include "base/status.h"

namespace acutance::vulkan {

/// "VK_ERROR_DEVICE_LOST (the GPU or its driver has crashed)".
std::string ResultText(VkResult result);

/// True when no later call on the device can succeed either.
inline bool IsDeviceLost(VkResult result) { return result == VK_ERROR_DEVICE_LOST; }

inline bool IsOutOfMemory(VkResult result) {
  return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY;
}

/// Ok, or an error that says what failed: "<device>: could not <doing>: <result>".
Status CallStatus(std::string_view device, VkResult result, std::string_view doing);

}  // namespace acutance::vulkan
