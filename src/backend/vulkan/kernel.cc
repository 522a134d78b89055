#include "backend/vulkan/kernel.h"

#include <cstring>

#include "backend/vulkan/profiling.h"
#include "exec/device_checks.h"

namespace acutance::vulkan {
namespace {

// Numbers of the SPIR-V specification, sections 2.3 and 3.32.
constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr size_t kSpirvHeaderWords = 5;
constexpr uint32_t kOpCapability = 17;
constexpr uint32_t kCapabilityFloat64 = 10;

uint32_t Word(std::span<const std::byte> spirv, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, spirv.data() + 4 * at, sizeof(word));
  return word;
}

bool IsSpirv(std::span<const std::byte> spirv) {
  return spirv.size() % 4 == 0 && spirv.size() > 4 * kSpirvHeaderWords && Word(spirv, 0) == kSpirvMagic;
}

/// Capabilities are a module's first instructions, each of two words.
bool UsesDoubles(std::span<const std::byte> spirv) {
  for (size_t at = kSpirvHeaderWords; 4 * (at + 2) <= spirv.size(); at += 2) {
    if (Word(spirv, at) != (2u << 16 | kOpCapability)) return false;
    if (Word(spirv, at + 1) == kCapabilityFloat64) return true;
  }
  return false;
}

}  // namespace

Result<std::span<const std::byte>> FindSpirv(const KernelImage& image) {
  for (const KernelBinary& binary : image.binaries) {
    if (binary.backend != "vulkan" || binary.code.empty()) continue;
    if (IsSpirv(binary.code)) return binary.code;
    return Error(StatusCode::kBadData, "the code of kernel {} for Vulkan is no SPIR-V module: build anew",
                 image.symbol);
  }
  return Error(StatusCode::kUnsupported,
               "kernel {} was not built for Vulkan; build with glslc and spirv-tools to have Vulkan kernels",
               image.symbol);
}

Status CheckLimits(const PhysicalDevice& device, const KernelImage& image, std::span<const std::byte> spirv) {
  const DeviceInfo& info = device.info;
  if (image.args_bytes > Context::kPushBytes)
    return Error(StatusCode::kUnsupported, "kernel {} takes {} bytes of arguments, Vulkan devices at most {}",
                 image.symbol, image.args_bytes, Context::kPushBytes);
  ACU_RETURN_IF_ERROR(CheckSharedMemory(image, info));
  ACU_RETURN_IF_ERROR(CheckWorkgroup(image, info, device.limits.maxComputeWorkGroupInvocations));
  if (!info.has_double && UsesDoubles(spirv))
    return Error(StatusCode::kUnsupported, "kernel {} needs numbers of double precision, {} lacks shaderFloat64",
                 image.symbol, info.name);
  return {};
}

Result<VkPipeline> CompilePipeline(Context& context, const KernelImage& image, std::span<const std::byte> spirv) {
  const DeviceFunctions& vk = context.vk();
  VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  code.codeSize = spirv.size();
  code.pCode = reinterpret_cast<const uint32_t*>(spirv.data());
  VkShaderModule module = VK_NULL_HANDLE;
  ACU_RETURN_IF_ERROR(context.Check(vk.vkCreateShaderModule(context.device(), &code, nullptr, &module),
                                    fmt::format("load kernel {}", image.symbol)));
  // Else some drivers compile for another wave size than gl_SubgroupSize reports.
  const uint32_t wave = static_cast<uint32_t>(context.info().wave_size);
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  size.requiredSubgroupSize = wave;
  VkComputePipelineCreateInfo settings = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  settings.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  settings.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  settings.stage.module = module;
  settings.stage.pName = "main";
  // Larger workgroups may not ask for it: those of CPUs' drivers, whose waves are short and never vary.
  const uint32_t items = static_cast<uint32_t>(image.group_x * image.group_y);
  if (context.physical().sets_wave_size && items <= wave * context.physical().most_waves) {
    settings.stage.pNext = &size;
    if (static_cast<uint32_t>(image.group_x) % wave == 0)  // what the flag is allowed for
      settings.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  // The only constant that kernels ask for, 0 in kernel/fused.kernel.h; others do not notice.
  const VkBool32 fuses = context.fuses() ? VK_TRUE : VK_FALSE;
  const VkSpecializationMapEntry entry = {0, 0, sizeof(fuses)};
  const VkSpecializationInfo constants = {1, &entry, sizeof(fuses), &fuses};
  settings.stage.pSpecializationInfo = &constants;
  settings.layout = context.layout();
  if (context.physical().reports_statistics) settings.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  VkPipeline handle = VK_NULL_HANDLE;
  const VkResult result =
      vk.vkCreateComputePipelines(context.device(), context.pipeline_cache(), 1, &settings, nullptr, &handle);
  vk.vkDestroyShaderModule(context.device(), module, nullptr);
  ACU_RETURN_IF_ERROR(context.Check(result, fmt::format("compile kernel {}", image.symbol)));
  if (context.physical().reports_statistics) PrintStatistics(context, handle, image.symbol);
  return handle;
}

Result<std::unique_ptr<Kernel>> VulkanKernel::Load(std::shared_ptr<Context> context, const KernelImage& image) {
  ACU_RETURN_IF_ERROR(context->Lost());
  ACU_ASSIGN_OR_RETURN(const VkPipeline pipeline, context->PipelineOf(image));
  return std::unique_ptr<Kernel>(new VulkanKernel(std::move(context), pipeline, image));
}

VulkanKernel::VulkanKernel(std::shared_ptr<Context> context, VkPipeline pipeline, const KernelImage& image)
    : context_(std::move(context)), pipeline_(pipeline), symbol_(image.symbol), args_bytes_(image.args_bytes) {}

}  // namespace acutance::vulkan
