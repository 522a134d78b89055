#include "backend/vulkan/pipeline_cache.h"

#include "backend/hex.h"
#include "base/file_cache.h"

namespace acutance::vulkan {
namespace {

constexpr size_t kMaxBytes = size_t{256} << 20;  // a driver's cache of all kernels takes a few MB
constexpr size_t kMaxFiles = 64;

const FileCache& Files() {
  static const FileCache files("vulkan", kMaxFiles);
  return files;
}

std::string Key(const PhysicalDevice& device) {
  return fmt::format("{} {} {:08x}", Hex(device.device_uuid), Hex(device.cache_uuid), device.driver_version);
}

}  // namespace

PipelineCache::PipelineCache(const DeviceFunctions& vk, VkDevice device, const PhysicalDevice& physical)
    : vk_(vk), device_(device), key_(Key(physical)), stored_(Files().Read(key_).value_or(std::vector<std::byte>())) {
  VkPipelineCacheCreateInfo settings = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  settings.initialDataSize = stored_.size();
  settings.pInitialData = stored_.data();
  if (vk_.vkCreatePipelineCache(device_, &settings, nullptr, &handle_) != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
}

PipelineCache::~PipelineCache() {
  if (!handle_) return;
  const std::vector<std::byte> data = Data();
  if (!data.empty() && data != stored_) Files().Write(key_, data);
  vk_.vkDestroyPipelineCache(device_, handle_, nullptr);
}

std::vector<std::byte> PipelineCache::Data() const {
  size_t bytes = 0;
  if (vk_.vkGetPipelineCacheData(device_, handle_, &bytes, nullptr) != VK_SUCCESS || bytes > kMaxBytes) return {};
  std::vector<std::byte> data(bytes);
  if (vk_.vkGetPipelineCacheData(device_, handle_, &bytes, data.data()) != VK_SUCCESS) return {};
  data.resize(bytes);
  return data;
}

}  // namespace acutance::vulkan
