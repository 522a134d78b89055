// Kernels: pipelines of embedded SPIR-V.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "backend/vulkan/context.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/kernel_image.h"

namespace acutance::vulkan {

/// The SPIR-V module of an image.
Result<std::span<const std::byte>> FindSpirv(const KernelImage& image);

/// Refuses kernels that the device cannot launch, with a clear message.
Status CheckLimits(const PhysicalDevice& device, const KernelImage& image, std::span<const std::byte> spirv);

Result<VkPipeline> CompilePipeline(Context& context, const KernelImage& image, std::span<const std::byte> spirv);

class VulkanKernel : public Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> Load(std::shared_ptr<Context> context, const KernelImage& image);

  VkPipeline pipeline() const { return pipeline_; }
  const std::string& symbol() const { return symbol_; }
  uint32_t args_bytes() const { return args_bytes_; }

 private:
  VulkanKernel(std::shared_ptr<Context> context, VkPipeline pipeline, const KernelImage& image);

  const std::shared_ptr<Context> context_;  // owns the pipeline
  const VkPipeline pipeline_;
  const std::string symbol_;
  const uint32_t args_bytes_;
};

}  // namespace acutance::vulkan
