#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// A separate allocation, so that the address sanitizer sees accesses beyond it, filled with
/// garbage.
class EmuBuffer : public Buffer {
 public:
  static Result<std::unique_ptr<Buffer>> Make(size_t bytes, MemoryKind kind, uint64_t seed);
  static std::unique_ptr<Buffer> Adopt(std::span<std::byte> memory);

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override;
  std::byte* host() const override { return kind_ == MemoryKind::kDevice || !owned_ ? nullptr : memory_; }

  std::byte* memory() const { return memory_; }

 private:
  EmuBuffer(std::unique_ptr<std::byte[]> owned, std::byte* memory, size_t bytes, MemoryKind kind)
      : owned_(std::move(owned)), memory_(memory), bytes_(bytes), kind_(kind) {}

  const std::unique_ptr<std::byte[]> owned_;  // null for memory that was adopted
  std::byte* const memory_;
  const size_t bytes_;
  const MemoryKind kind_;
};

}  // namespace acutance
