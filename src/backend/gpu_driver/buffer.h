// Memory of the device, and pinned memory of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "backend/gpu_driver/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::gpu {

template <class Api>
class DeviceBuffer : public Buffer {
 public:
  DeviceBuffer(std::shared_ptr<Context<Api>> context, uint64_t memory, size_t bytes)
      : memory_(std::move(context), memory), bytes_(bytes) {}

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return memory_.handle(); }
  std::byte* host() const override { return nullptr; }

 private:
  const Owned<Api, uint64_t, &Api::FreeDevice> memory_;
  const size_t bytes_;
};

template <class Api>
class PinnedBuffer : public Buffer {
 public:
  PinnedBuffer(std::shared_ptr<Context<Api>> context, void* memory, size_t bytes)
      : memory_(std::move(context), memory), bytes_(bytes) {}

  size_t bytes() const override { return bytes_; }
  // Host and device share one address space.
  uint64_t address() const override { return reinterpret_cast<uintptr_t>(memory_.handle()); }
  std::byte* host() const override { return static_cast<std::byte*>(memory_.handle()); }

 private:
  const Owned<Api, void*, &Api::FreePinned> memory_;
  const size_t bytes_;
};

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
