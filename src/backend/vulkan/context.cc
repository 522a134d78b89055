#include "backend/vulkan/context.h"

#include "backend/vulkan/error.h"
#include "backend/vulkan/kernel.h"

namespace acutance::vulkan {

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
  if (abandoned_) static_cast<void>(cache_.release());
  if (!device_ || abandoned_) return;
  for (const auto& [code, compiled] : compiled_) vk_.vkDestroyPipeline(device_, compiled.pipeline, nullptr);
  cache_.reset();
  if (layout_) vk_.vkDestroyPipelineLayout(device_, layout_, nullptr);
  if (vk_.vkDestroyDevice) vk_.vkDestroyDevice(device_, nullptr);
}

Status Context::Check(VkResult result, std::string_view doing) {
  Status status = CallStatus(info().name, result, doing);
  if (IsDeviceLost(result)) {
    const std::lock_guard lock(lost_mutex_);
    if (lost_.ok()) lost_ = status;
  }
  return status;
}

void Context::Abandon() {
  abandoned_ = true;
  const std::lock_guard lock(lost_mutex_);
  if (lost_.ok()) lost_ = Error(StatusCode::kIo, "it hangs");
}

Status Context::Lost() {
  const std::lock_guard lock(lost_mutex_);
  if (lost_.ok()) return {};
  return Error(StatusCode::kIo, "{} is lost since an earlier failure ({}); open it again to use it", info().name,
               lost_.message());
}

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
