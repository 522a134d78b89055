// Memory of the device, and pinned memory of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "backend/gpu_driver/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::gpu {

template <class Api, class Handle, auto kFree>
class GpuBuffer : public Buffer {
 public:
  GpuBuffer(std::shared_ptr<Context<Api>> context, Handle memory, size_t bytes)
      : memory_(std::move(context), memory), bytes_(bytes) {}

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return uint64_t(memory_.handle()); }  // host and device share one address space
  std::byte* host() const override {
    if constexpr (std::is_pointer_v<Handle>) return static_cast<std::byte*>(memory_.handle());
    else return nullptr;
  }

 private:
  const Owned<Api, Handle, kFree> memory_;
  const size_t bytes_;
};

template <class Api>
using DeviceBuffer = GpuBuffer<Api, uint64_t, &Api::FreeDevice>;
template <class Api>
using PinnedBuffer = GpuBuffer<Api, void*, &Api::FreePinned>;

/// "700 of 1000 bytes are free; ", or "" when the driver does not say.
template <class Api>
std::string FreeText(const Api& api) {
  size_t free = 0, total = 0;
  if (api.MemoryInfo(&free, &total) != Api::kSuccess) return "";
  return fmt::format("{} of {} bytes are free; ", free, total);
}

template <class Api>
Result<std::unique_ptr<Buffer>> AllocateDevice(std::shared_ptr<Context<Api>> context, size_t bytes) {
  const CurrentContext<Api> current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  uint64_t memory = 0;
  const auto code = context->api().AllocateDevice(&memory, std::max<size_t>(bytes, 1));
  if (code == Api::kOutOfMemory)
    return Error(StatusCode::kOutOfMemory,
                 "{}: out of device memory: {} bytes were asked for; {}close other programs that use the device, "
                 "or take a smaller batch",
                 context->info().name, bytes, FreeText(context->api()));
  ACU_RETURN_IF_ERROR(context->Check(code, fmt::format("allocate {} bytes of its memory", bytes)));
  return std::unique_ptr<Buffer>(new DeviceBuffer<Api>(std::move(context), memory, bytes));
}

template <class Api>
Result<std::unique_ptr<Buffer>> AllocatePinned(std::shared_ptr<Context<Api>> context, size_t bytes) {
  const CurrentContext<Api> current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  void* memory = nullptr;
  const auto code = context->api().AllocatePinned(&memory, std::max<size_t>(bytes, 1));
  if (code == Api::kOutOfMemory)
    return Error(StatusCode::kOutOfMemory,
                 "{}: out of pinned host memory: {} bytes were asked for; close other programs, or take a smaller "
                 "batch",
                 context->info().name, bytes);
  ACU_RETURN_IF_ERROR(context->Check(code, fmt::format("allocate {} bytes of pinned host memory", bytes)));
  return std::unique_ptr<Buffer>(new PinnedBuffer<Api>(std::move(context), memory, bytes));
}

}  // namespace acutance::gpu
