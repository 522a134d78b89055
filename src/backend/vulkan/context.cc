#include "backend/vulkan/context.h"

#include "backend/device_text.h"
#include "backend/vulkan/kernel.h"
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

/// Machine code that the driver compiled from SPIR-V, cached in the user's cache folder (base/file_cache.h). Without a
/// file, or with a broken one, the driver compiles anew: nothing else changes.
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

Result<std::shared_ptr<Context>> Context::Open(std::shared_ptr<const Driver> driver, PhysicalDevice physical) {
  std::shared_ptr<Context> context(new Context(std::move(driver), std::move(physical)));
  ACU_RETURN_IF_ERROR(context->Create());
  return context;
}

Context::Context(std::shared_ptr<const Driver> driver, PhysicalDevice physical)
    : driver_(std::move(driver)), physical_(std::move(physical)) {}

void Context::FindQueue(uint32_t family, SubmissionQueue& queue) const {
  vk_.vkGetDeviceQueue(device_, family, 0, &queue.handle);
  queue.family = family;
}

Status Context::Create() {
  ACU_ASSIGN_OR_RETURN(device_, CreateDevice(*driver_, physical_));
  ACU_RETURN_IF_ERROR(FindFunctions());
  FindQueue(physical_.compute_family, kernel_queue_);
  if (physical_.copy_family) FindQueue(*physical_.copy_family, copy_queue_);
  const VkPushConstantRange arguments = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
  VkPipelineLayoutCreateInfo settings = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  settings.pushConstantRangeCount = 1;
  settings.pPushConstantRanges = &arguments;
  ACU_RETURN_IF_ERROR(
      Check(vk_.vkCreatePipelineLayout(device_, &settings, nullptr, &layout_), "describe the kernels' arguments"));
  cache_ = std::make_unique<PipelineCache>(vk_, device_, physical_);
  return {};
}

Status Context::FindFunctions() {
  const auto find = [&](const char* name) { return driver_->vk().vkGetDeviceProcAddr(device_, name); };
  // This is loaded first, so that the device is destroyed when another function is missing.
  vk_.vkDestroyDevice = reinterpret_cast<PFN_vkDestroyDevice>(find("vkDestroyDevice"));
  const char* missing = nullptr;
#define ACU_FIND(name)                                  \
  vk_.name = reinterpret_cast<PFN_##name>(find(#name)); \
  if (!vk_.name) missing = #name;
  ACU_VULKAN_DEVICE_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
#define ACU_FIND(name) vk_.name = reinterpret_cast<PFN_##name>(find(#name));
  ACU_VULKAN_EXTENSION_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
  if (!missing) return {};
  return Error(StatusCode::kNoDevice, "{}: its driver has no function {}; install a newer one", info().name, missing);
}

Context::~Context() {
  if (is_abandoned()) static_cast<void>(cache_.release());
  if (!device_ || is_abandoned()) return;
  for (const auto& [code, compiled] : compiled_) vk_.vkDestroyPipeline(device_, compiled.pipeline, nullptr);
  cache_.reset();
  if (layout_) vk_.vkDestroyPipelineLayout(device_, layout_, nullptr);
  if (vk_.vkDestroyDevice) vk_.vkDestroyDevice(device_, nullptr);
}

Status Context::Check(VkResult result, std::string_view doing) {
  Status status = CallStatus(info().name, result, doing);
  if (IsDeviceLost(result)) health_.Lose(status);
  return status;
}

VkPipelineCache Context::pipeline_cache() const { return cache_->handle(); }

Result<VkPipeline> Context::PipelineOf(const KernelImage& image) {
  ACU_ASSIGN_OR_RETURN(const std::span<const std::byte> spirv, FindSpirv(image));
  ACU_RETURN_IF_ERROR(CheckLimits(physical_, image, spirv));
  Compiled& compiled = CompiledOf(spirv.data());
  const std::lock_guard lock(compiled.mutex);
  if (!compiled.pipeline) {
    ACU_ASSIGN_OR_RETURN(compiled.pipeline, CompilePipeline(*this, image, spirv));
  }
  return compiled.pipeline;
}

Context::Compiled& Context::CompiledOf(const std::byte* code) {
  const std::lock_guard lock(compiled_mutex_);
  return compiled_[code];
}

}  // namespace acutance::vulkan
