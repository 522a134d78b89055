#include <mutex>

#include "backend/load_ahead.h"
#include "backend/vulkan/buffer.h"
#include "backend/vulkan/fma_probe.h"
#include "backend/vulkan/kernel.h"
#include "backend/vulkan/recording.h"
#include "backend/vulkan/vulkan.h"
#include "exec/device_checks.h"

namespace acutance {
namespace vulkan {
namespace {

class VulkanDevice : public Device {
 public:
  explicit VulkanDevice(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  const DeviceInfo& info() const override { return context_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return VulkanBuffer::Allocate(context_, bytes, kind);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    ACU_ASSIGN_OR_RETURN(const std::span<const std::byte> spirv, FindSpirv(image));
    if (AsksForFused(spirv)) std::call_once(tried_fused_, [this] { TryFused(); });
    return VulkanKernel::Load(context_, image);
  }
  void LoadAhead(std::span<const KernelImage* const> images) override {
    LoadOnThreads(images, [this](const KernelImage& image) { return LoadKernel(image).status(); });
  }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return vulkan::MakeQueue(context_); }
  std::optional<size_t> FreeMemory() override { return context_->FreeMemory(); }
  void LimitWaits(std::chrono::milliseconds longest) override { context_->health().patience().Limit(longest); }

 private:
  void TryFused() {
    context_->set_fuses(true);
    context_->set_fuses(RoundsFusedOnce(context_));
  }

  const std::shared_ptr<Context> context_;
  std::once_flag tried_fused_;
};

BackendProbe Probe() {
  const auto driver = OpenDriver();
  if (!driver.ok()) return {{}, driver.status().message()};
  const auto handles = driver.value()->PhysicalDevices();
  if (!handles.ok()) return {{}, handles.status().message()};
  return ProbeDevices(static_cast<int>(handles->size()), [&](int index) -> Result<DeviceInfo> {
    ACU_ASSIGN_OR_RETURN(PhysicalDevice found, Describe(**driver, (*handles)[index], index));
    return std::move(found.info);
  });
}

Result<std::unique_ptr<Device>> Open(int index) {
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<const Driver> driver, OpenDriver());
  ACU_ASSIGN_OR_RETURN(const std::vector<VkPhysicalDevice> handles, driver->PhysicalDevices());
  ACU_RETURN_IF_ERROR(CheckIndex("Vulkan", index, handles.size()));
  ACU_ASSIGN_OR_RETURN(PhysicalDevice found, Describe(*driver, handles[index], index));
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Context> context, Context::Open(std::move(driver), std::move(found)));
  return std::unique_ptr<Device>(new VulkanDevice(std::move(context)));
}

constexpr const char* kTraces[] = {"/dev/dri", "/dev/dxg", "/dev/nvidiactl", "C:/Windows/System32/vulkan-1.dll"};

}  // namespace
}  // namespace vulkan

const Backend kVulkanBackend = {.name = "vulkan",
                                .summary = "GPUs of every vendor, through Vulkan; no AMD or Intel GPU has run it yet",
                                .probe = vulkan::Probe,
                                .open = vulkan::Open,
                                .traces = vulkan::kTraces};

}  // namespace acutance
