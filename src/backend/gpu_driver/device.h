// Device of the CUDA driver or the HIP runtime.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "backend/gpu_driver/buffer.h"
#include "backend/gpu_driver/context.h"
#include "backend/gpu_driver/kernel.h"
#include "backend/gpu_driver/queue.h"
#include "backend/load_ahead.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::gpu {

template <class Api>
class GpuDevice : public Device {
 public:
  GpuDevice(Api api, DeviceInfo info) : context_(std::make_shared<Context<Api>>(std::move(api), std::move(info))) {}

  const DeviceInfo& info() const override { return context_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return kind == MemoryKind::kDevice ? AllocateDevice(context_, bytes) : AllocatePinned(context_, bytes);
  }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    return gpu::LoadKernel(context_, image);
  }
  void LoadAhead(std::span<const KernelImage* const> images) override {
    if constexpr (Api::kLoadsAhead)
      LoadOnThreads(images, [&](const KernelImage& image) { return gpu::LoadKernel(context_, image).status(); });
  }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return GpuQueue<Api>::Make(context_); }
  void LimitWaits(std::chrono::milliseconds longest) override { context_->LimitWaits(longest); }
  std::optional<size_t> FreeMemory() override {
    const CurrentContext<Api> current(*context_);
    size_t free = 0, total = 0;
    if (!current.status().ok() || context_->api().MemoryInfo(&free, &total) != Api::kSuccess) return std::nullopt;
    return free;
  }

 protected:
  const std::shared_ptr<Context<Api>> context_;
};

}  // namespace acutance::gpu
