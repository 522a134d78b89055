// A device of such a driver, and how a backend finds its devices.
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

/// What `describe` says of each of the devices that the driver counts.
template <class Describe>
BackendProbe ProbeDevices(const Result<int>& count, Describe describe) {
  if (!count.ok()) return {{}, count.status().message()};
  BackendProbe probe;
  for (int index = 0; index < *count; ++index) {
    Result<DeviceInfo> info = describe(index);
    if (info.ok()) probe.devices.push_back(*std::move(info));
    else probe.refused.push_back(info.status().message());
  }
  if (probe.devices.empty()) probe.missing = fmt::format("{}", fmt::join(probe.refused, "; "));
  return probe;
}

inline Status CheckIndex(std::string_view driver, int index, int count) {
  if (index >= 0 && index < count) return {};
  return Error(StatusCode::kInvalidArgument, "there is no {} device {}: this machine has {}, counted from 0", driver,
               index, count);
}

}  // namespace acutance::gpu
