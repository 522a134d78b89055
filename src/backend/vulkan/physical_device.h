// A device as its driver describes it, and whether the kernels can run there.
#pragma once

#include <vector>

#include "backend/vulkan/driver.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::vulkan {

struct PhysicalDevice {
  VkPhysicalDevice handle = nullptr;
  DeviceInfo info;
  VkPhysicalDeviceLimits limits;
  VkPhysicalDeviceMemoryProperties memory;
  VkDeviceSize largest_allocation = 0;
  uint32_t driver_version = 0;
  std::array<uint8_t, VK_UUID_SIZE> device_uuid, cache_uuid;
  uint32_t queue_family = 0, queue_count = 0;
  bool sets_wave_size = false;  // pipelines may ask for info.wave_size, which not all drivers give by themselves
};

/// Fails when the kernels cannot run there, naming what is missing.
Result<PhysicalDevice> Describe(const Driver& driver, VkPhysicalDevice handle, int index);

/// The VkDevice, with the features that the kernels need.
Result<VkDevice> CreateDevice(const Driver& driver, const PhysicalDevice& device, uint32_t queue_count);

}  // namespace acutance::vulkan
