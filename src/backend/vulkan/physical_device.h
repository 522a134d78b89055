// A device as its driver describes it, and whether the kernels can run there.
#pragma once

#include <array>
#include <optional>
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
  bool shares_memory = false;  // with the processor, of which it is a part
  uint32_t driver_version = 0;
  std::array<uint8_t, VK_UUID_SIZE> device_uuid, cache_uuid;
  uint32_t compute_family = 0;
  std::optional<uint32_t> copy_family;  // that only copies, next to the kernels, as copy engines do
  bool sets_wave_size = false;    // pipelines may ask for info.wave_size, which not all drivers give by themselves
  uint32_t most_waves = 0;        // of a workgroup whose wave size is set
  bool tells_statistics = false;  // of compiled kernels, as ACUTANCE_VULKAN_STATISTICS asks
  bool tells_times = false;       // of commands, as ACUTANCE_VULKAN_TIMES asks
  std::vector<uint32_t> timestamp_bits;  // of queue families
};

/// Fails when the kernels cannot run there, naming what is missing.
Result<PhysicalDevice> Describe(const Driver& driver, VkPhysicalDevice handle, int index);

/// The VkDevice, with the features that the kernels need.
Result<VkDevice> CreateDevice(const Driver& driver, const PhysicalDevice& device);

}  // namespace acutance::vulkan
