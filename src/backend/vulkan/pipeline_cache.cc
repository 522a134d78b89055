#include "backend/vulkan/pipeline_cache.h"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "base/cache_folder.h"

namespace acutance::vulkan {
namespace {

constexpr uint64_t kMagic = 0x3156'4843'5543'4100;  // of this layout of the file
constexpr size_t kMaxBytes = size_t{256} << 20;     // a driver's cache of all kernels takes a few MB

/// Before the driver's own data: drivers have crashed on damaged data, so none reaches them.
struct FileHeader {
  uint64_t magic;
  uint64_t bytes;
  uint64_t hash;
};

/// FNV-1a.
uint64_t Hash(std::span<const std::byte> data) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte b : data) hash = (hash ^ static_cast<uint64_t>(b)) * 0x100000001b3;
  return hash;
}

std::string Hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// The driver's data in the file, or nothing when it is missing or not as it was written.
std::vector<std::byte> Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  FileHeader header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof(header))) return {};
  std::error_code error;
  if (header.magic != kMagic || header.bytes > kMaxBytes ||
      std::filesystem::file_size(path, error) != sizeof(header) + header.bytes)
    return {};
  std::vector<std::byte> data(header.bytes);
  if (!file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()))) return {};
  return Hash(data) == header.hash ? data : std::vector<std::byte>();
}

/// Whole or not at all: a reader never sees a part. A failure costs only the time to compile again.
void Write(const std::filesystem::path& path, std::span<const std::byte> data) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const std::filesystem::path part = path.string() + fmt::format(".{}", ::getpid());
  const FileHeader header = {kMagic, data.size(), Hash(data)};
  std::ofstream file(part, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof(header));
  file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  file.close();
  if (file.good()) std::filesystem::rename(part, path, error);
  if (!file.good() || error) std::filesystem::remove(part, error);
}

}  // namespace

std::filesystem::path PipelineCachePath(const PhysicalDevice& device) {
  const std::filesystem::path folder = CacheFolder();
  if (folder.empty()) return {};
  return folder / "vulkan" /
         fmt::format("{}-{}-{:08x}.bin", Hex(device.device_uuid), Hex(device.cache_uuid), device.driver_version);
}

PipelineCache::PipelineCache(const DeviceFunctions& vk, VkDevice device, const PhysicalDevice& physical)
    : vk_(vk), device_(device), path_(PipelineCachePath(physical)) {
  if (!path_.empty()) stored_ = Read(path_);
  VkPipelineCacheCreateInfo settings = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  settings.initialDataSize = stored_.size();
  settings.pInitialData = stored_.data();
  if (vk_.vkCreatePipelineCache(device_, &settings, nullptr, &handle_) != VK_SUCCESS) handle_ = VK_NULL_HANDLE;
}

PipelineCache::~PipelineCache() {
  if (!handle_) return;
  if (!path_.empty()) {
    const std::vector<std::byte> data = Data();
    if (!data.empty() && data != stored_) Write(path_, data);
  }
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
