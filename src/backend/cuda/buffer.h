// Memory of the device, and pinned memory of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "backend/cuda/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::cuda {

class DeviceBuffer : public Buffer {
 public:
  static Result<std::unique_ptr<Buffer>> Allocate(std::shared_ptr<Context> context, size_t bytes);
  ~DeviceBuffer() override;

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return memory_; }
  std::byte* host() const override { return nullptr; }

 private:
  DeviceBuffer(std::shared_ptr<Context> context, CUdeviceptr memory, size_t bytes)
      : context_(std::move(context)), memory_(memory), bytes_(bytes) {}

  const std::shared_ptr<Context> context_;
  const CUdeviceptr memory_;
  const size_t bytes_;
};

class PinnedBuffer : public Buffer {
 public:
  static Result<std::unique_ptr<Buffer>> Allocate(std::shared_ptr<Context> context, size_t bytes);
  ~PinnedBuffer() override;

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return reinterpret_cast<uintptr_t>(memory_); }  // one address space for both
  std::byte* host() const override { return memory_; }

 private:
  PinnedBuffer(std::shared_ptr<Context> context, std::byte* memory, size_t bytes)
      : context_(std::move(context)), memory_(memory), bytes_(bytes) {}

  const std::shared_ptr<Context> context_;
  std::byte* const memory_;
  const size_t bytes_;
};

/// Memory of the device that others allocated and keep.
class AdoptedBuffer : public Buffer {
 public:
  AdoptedBuffer(uint64_t address, size_t bytes) : address_(address), bytes_(bytes) {}

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return address_; }
  std::byte* host() const override { return nullptr; }

 private:
  const uint64_t address_;
  const size_t bytes_;
};

/// Memory of the host that others allocated, pinned for as long as this lives.
class ImportedBuffer : public Buffer {
 public:
  static Result<std::unique_ptr<Buffer>> Import(std::shared_ptr<Context> context, std::span<const std::byte> memory);
  ~ImportedBuffer() override;

  size_t bytes() const override { return memory_.size(); }
  uint64_t address() const override { return reinterpret_cast<uintptr_t>(memory_.data()); }
  std::byte* host() const override { return nullptr; }  // not ours to write

 private:
  ImportedBuffer(std::shared_ptr<Context> context, std::span<const std::byte> memory)
      : context_(std::move(context)), memory_(memory) {}

  const std::shared_ptr<Context> context_;
  const std::span<const std::byte> memory_;
};

}  // namespace acutance::cuda
