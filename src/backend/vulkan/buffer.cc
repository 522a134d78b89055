#include "backend/vulkan/buffer.h"

#include <algorithm>

#include "backend/vulkan/error.h"

namespace acutance::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr int kNone = -1;

bool SeenByKernels(MemoryKind kind) { return kind != MemoryKind::kUpload; }

std::string_view KindText(MemoryKind kind) {
  return kind == MemoryKind::kDevice ? "device memory" : "host memory that the device reaches";
}

Status OutOfMemory(const Context& context, size_t bytes, MemoryKind kind, std::string_view reason) {
  return Error(StatusCode::kOutOfMemory,
               "{}: out of {}: {} bytes were asked for ({}); close other programs that use the device, or take a "
               "smaller batch",
               context.info().name, KindText(kind), bytes, reason);
}

Status AllocationStatus(Context& context, VkResult result, size_t bytes, MemoryKind kind) {
  if (IsOutOfMemory(result)) return OutOfMemory(context, bytes, kind, ResultText(result));
  return context.Check(result, fmt::format("allocate {} bytes of {}", bytes, KindText(kind)));
}

/// The first type of `allowed` with all of `flags`, if possible without `unwanted`: drivers list the fastest first.
int FindMemoryType(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed, VkMemoryPropertyFlags flags,
                   VkMemoryPropertyFlags unwanted) {
  int found = kNone;
  for (uint32_t i = memory.memoryTypeCount; i-- > 0;) {
    const VkMemoryPropertyFlags has = memory.memoryTypes[i].propertyFlags;
    if (!(allowed >> i & 1) || (has & flags) != flags) continue;
    const bool spoils = found != kNone && (has & unwanted) && !(memory.memoryTypes[found].propertyFlags & unwanted);
    if (!spoils) found = static_cast<int>(i);
  }
  return found;
}

int ChooseMemoryType(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed, MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDevice:
      return FindMemoryType(memory, allowed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    case MemoryKind::kUpload:  // reused all the time, so that the host's cache should hold it
    case MemoryKind::kReadback: {
      const VkMemoryPropertyFlags cached = kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
      const int found = FindMemoryType(memory, allowed, cached, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
      return found == kNone ? FindMemoryType(memory, allowed, kHost, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) : found;
    }
  }
  return kNone;
}

}  // namespace

Result<std::unique_ptr<Buffer>> VulkanBuffer::Allocate(std::shared_ptr<Context> context, size_t bytes,
                                                       MemoryKind kind) {
  ACU_RETURN_IF_ERROR(context->Lost());
  std::unique_ptr<VulkanBuffer> buffer(new VulkanBuffer(std::move(context), bytes));
  ACU_RETURN_IF_ERROR(buffer->Create(kind));
  return std::unique_ptr<Buffer>(std::move(buffer));
}

Status VulkanBuffer::Create(MemoryKind kind) {
  const VkDeviceSize largest = context_->physical().largest_allocation;
  if (bytes_ > largest)
    return OutOfMemory(*context_, bytes_, kind, fmt::format("its driver gives at most {} at once", largest));
  VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (SeenByKernels(kind)) usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  const DeviceFunctions& vk = context_->vk();
  ACU_RETURN_IF_ERROR(AllocationStatus(*context_, CreateHandle(usage), bytes_, kind));
  ACU_RETURN_IF_ERROR(BackWithMemory(kind));
  if (SeenByKernels(kind)) {
    VkBufferDeviceAddressInfo which = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    which.buffer = handle_;
    address_ = vk.vkGetBufferDeviceAddress(context_->device(), &which);
  }
  if (kind == MemoryKind::kDevice) return {};
  void* mapped = nullptr;
  ACU_RETURN_IF_ERROR(context_->Check(vk.vkMapMemory(context_->device(), memory_, 0, VK_WHOLE_SIZE, 0, &mapped),
                                      fmt::format("map {} bytes", bytes_)));
  host_ = static_cast<std::byte*>(mapped);
  return {};
}

VkResult VulkanBuffer::CreateHandle(VkBufferUsageFlags usage) {
  const PhysicalDevice& physical = context_->physical();
  const uint32_t families[] = {physical.compute_family, physical.copy_family.value_or(0)};
  VkBufferCreateInfo settings = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  settings.size = std::max<size_t>(bytes_, 1);
  settings.usage = usage;
  if (physical.copy_family) {
    settings.sharingMode = VK_SHARING_MODE_CONCURRENT;
    settings.queueFamilyIndexCount = 2;
    settings.pQueueFamilyIndices = families;
  }
  return context_->vk().vkCreateBuffer(context_->device(), &settings, nullptr, &handle_);
}

Status VulkanBuffer::BackWithMemory(MemoryKind kind) {
  const DeviceFunctions& vk = context_->vk();
  const VkPhysicalDeviceMemoryProperties& memory = context_->physical().memory;
  VkMemoryRequirements needed;
  vk.vkGetBufferMemoryRequirements(context_->device(), handle_, &needed);
  const int type = ChooseMemoryType(memory, needed.memoryTypeBits, kind);
  if (type == kNone)
    return Error(StatusCode::kUnsupported, "{} has no {} for buffers", context_->info().name, KindText(kind));
  const VkDeviceSize heap = memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
  if (needed.size > heap) return OutOfMemory(*context_, bytes_, kind, fmt::format("there are {} in all", heap));
  VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo settings = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  if (SeenByKernels(kind)) settings.pNext = &flags;
  settings.allocationSize = needed.size;
  settings.memoryTypeIndex = static_cast<uint32_t>(type);
  ACU_RETURN_IF_ERROR(
      AllocationStatus(*context_, vk.vkAllocateMemory(context_->device(), &settings, nullptr, &memory_), bytes_, kind));
  return AllocationStatus(*context_, vk.vkBindBufferMemory(context_->device(), handle_, memory_, 0), bytes_, kind);
}

// Freeing memory unmaps it.
VulkanBuffer::~VulkanBuffer() {
  if (context_->is_abandoned()) return;
  const DeviceFunctions& vk = context_->vk();
  vk.vkDestroyBuffer(context_->device(), handle_, nullptr);
  vk.vkFreeMemory(context_->device(), memory_, nullptr);
}

}  // namespace acutance::vulkan
