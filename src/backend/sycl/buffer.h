// Unified shared memory: of the device, or of the host and visible to the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/sycl/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::sycl_backend {

class UsmBuffer : public Buffer {
 public:
  static Result<std::unique_ptr<Buffer>> Allocate(std::shared_ptr<Context> context, size_t bytes, MemoryKind kind);
  ~UsmBuffer() override;

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return reinterpret_cast<uintptr_t>(memory_); }  // one address space for both
  std::byte* host() const override { return kind_ == MemoryKind::kDevice ? nullptr : memory_; }

 private:
  UsmBuffer(std::shared_ptr<Context> context, std::byte* memory, size_t bytes, MemoryKind kind)
      : context_(std::move(context)), memory_(memory), bytes_(bytes), kind_(kind) {}

  const std::shared_ptr<Context> context_;
  std::byte* const memory_;
  const size_t bytes_;
  const MemoryKind kind_;
};

}  // namespace acutance::sycl_backend
