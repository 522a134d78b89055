#include "backend/emu/buffer.h"

#include <cstring>
#include <new>
#include <random>

namespace acutance {

Result<std::unique_ptr<Buffer>> EmuBuffer::Make(size_t bytes, MemoryKind kind, uint64_t seed) {
  if (bytes == 0) return Error(StatusCode::kInvalidArgument, "emu: a buffer of 0 bytes was asked for");
  std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[bytes]);
  if (memory == nullptr)
    return Error(StatusCode::kOutOfMemory, "emu: no memory for a buffer of {} bytes: use a smaller batch", bytes);
  std::mt19937_64 random(seed);
  std::memset(memory.get(), static_cast<int>(random() | 0x81), bytes);  // never zero
  std::byte* const begin = memory.get();
  return std::unique_ptr<Buffer>(new EmuBuffer(std::move(memory), begin, bytes, kind));
}

std::unique_ptr<Buffer> EmuBuffer::Adopt(std::span<std::byte> memory) {
  return std::unique_ptr<Buffer>(new EmuBuffer(nullptr, memory.data(), memory.size(), MemoryKind::kUpload));
}

uint64_t EmuBuffer::address() const { return kind_ == MemoryKind::kUpload ? 0 : reinterpret_cast<uint64_t>(memory_); }

}  // namespace acutance
