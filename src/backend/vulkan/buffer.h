// Memory of the device, and of the host where the device reaches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/vulkan/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::vulkan {

class VulkanBuffer : public Buffer {
 public:
  static Result<std::unique_ptr<Buffer>> Allocate(std::shared_ptr<Context> context, size_t bytes, MemoryKind kind);
  ~VulkanBuffer() override;

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return address_; }
  std::byte* host() const override { return host_; }
  VkBuffer handle() const { return handle_; }

 private:
  VulkanBuffer(std::shared_ptr<Context> context, size_t bytes) : context_(std::move(context)), bytes_(bytes) {}

  Status Create(MemoryKind kind);
  VkResult CreateHandle(VkBufferUsageFlags usage);
  Status BackWithMemory(MemoryKind kind);
  Status AllocateOfType(uint32_t type, VkDeviceSize bytes, MemoryKind kind);

  const std::shared_ptr<Context> context_;
  const size_t bytes_;
  VkBuffer handle_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  uint64_t address_ = 0;
  std::byte* host_ = nullptr;
};

}  // namespace acutance::vulkan
