// Machine code that the driver made of SPIR-V, kept in the user's cache folder (base/file_cache.h). Without a file,
// or with a broken one, the driver compiles anew: nothing else changes.
#pragma once

#include <string>
#include <vector>

#include "backend/vulkan/physical_device.h"

namespace acutance::vulkan {

class PipelineCache {
 public:
  /// Lives no longer than `device`.
  PipelineCache(const DeviceFunctions& vk, VkDevice device, const PhysicalDevice& physical);
  ~PipelineCache();  // writes the file if the data has changed
  PipelineCache(const PipelineCache&) = delete;
  PipelineCache& operator=(const PipelineCache&) = delete;

  VkPipelineCache handle() const { return handle_; }  // null when the driver has none to give

 private:
  std::vector<std::byte> Data() const;

  const DeviceFunctions& vk_;
  const VkDevice device_;
  const std::string key_;                // device and driver version
  const std::vector<std::byte> stored_;  // what the file holds
  VkPipelineCache handle_ = VK_NULL_HANDLE;
};

}  // namespace acutance::vulkan
