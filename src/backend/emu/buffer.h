#pragma once

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Memory of its own, so that the address sanitizer sees accesses beyond it; filled with garbage.
class EmuBuffer : public Buffer {
 public:
  static Result<std::unique_ptr<Buffer>> Make(size_t bytes, MemoryKind kind, uint64_t seed);

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override;
  std::byte* host() const override { return kind_ == MemoryKind::kDevice ? nullptr : memory_.get(); }

  std::byte* memory() const { return memory_.get(); }

 private:
  EmuBuffer(std::unique_ptr<std::byte[]> memory, size_t bytes, MemoryKind kind)
      : memory_(std::move(memory)), bytes_(bytes), kind_(kind) {}

  const std::unique_ptr<std::byte[]> memory_;
  const size_t bytes_;
  const MemoryKind kind_;
};

}  // namespace acutance
