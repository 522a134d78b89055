#include "backend/vulkan/buffer.h"

#include <algorithm>
#include <vector>

namespace acutance::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

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

struct Wish {
  VkMemoryPropertyFlags has, lacks;
};

/// What kinds of memory may be, the best first. A GPU that is a part of the processor reaches the host's memory as
/// quickly as its own, of which some drivers set aside little; others would read each sample through their bus.
std::vector<Wish> WishesOf(MemoryKind kind, bool shares_memory) {
  constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  if (kind == MemoryKind::kDevice) {
    std::vector<Wish> wishes = {{kLocal, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT}, {kLocal, 0}};
    if (shares_memory) wishes.push_back({0, 0});
    return wishes;
  }
  // Reused all the time, so that the host's cache should hold it.
  const VkMemoryPropertyFlags cached = kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  return {{cached, kLocal}, {cached, 0}, {kHost, kLocal}, {kHost, 0}};
}

/// The types of `allowed` to try one after another, of each heap the best: drivers list the fastest first.
std::vector<uint32_t> MemoryTypes(const PhysicalDevice& physical, uint32_t allowed, MemoryKind kind) {
  const VkPhysicalDeviceMemoryProperties& memory = physical.memory;
  std::vector<uint32_t> types;
  std::vector<bool> has_heap(memory.memoryHeapCount);
  for (const Wish& wish : WishesOf(kind, physical.shares_memory))
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      const auto [flags, heap] = memory.memoryTypes[i];
      if (!(allowed >> i & 1) || (flags & wish.has) != wish.has || (flags & wish.lacks) || has_heap[heap]) continue;
      has_heap[heap] = true;
      types.push_back(i);
    }
  return types;
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
  VkMemoryRequirements needed;
  vk.vkGetBufferMemoryRequirements(context_->device(), handle_, &needed);
  const std::vector<uint32_t> types = MemoryTypes(context_->physical(), needed.memoryTypeBits, kind);
  if (types.empty())
    return Error(StatusCode::kUnsupported, "{} has no {} for buffers", context_->info().name, KindText(kind));
  Status full;  // of the first heap
  for (const uint32_t type : types) {
    const Status status = AllocateOfType(type, needed.size, kind);
    if (status.ok()) break;
    if (status.code() != StatusCode::kOutOfMemory) return status;
    if (full.ok()) full = status;
  }
  if (memory_ == VK_NULL_HANDLE) return full;
  return AllocationStatus(*context_, vk.vkBindBufferMemory(context_->device(), handle_, memory_, 0), bytes_, kind);
}

Status VulkanBuffer::AllocateOfType(uint32_t type, VkDeviceSize bytes, MemoryKind kind) {
  const VkPhysicalDeviceMemoryProperties& memory = context_->physical().memory;
  const VkDeviceSize heap = memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
  if (bytes > heap) return OutOfMemory(*context_, bytes_, kind, fmt::format("there are {} in all", heap));
  VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo settings = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  if (SeenByKernels(kind)) settings.pNext = &flags;
  settings.allocationSize = bytes;
  settings.memoryTypeIndex = type;
  return AllocationStatus(*context_, context_->vk().vkAllocateMemory(context_->device(), &settings, nullptr, &memory_),
                          bytes_, kind);
}

// Freeing memory unmaps it.
VulkanBuffer::~VulkanBuffer() {
  if (context_->is_abandoned()) return;
  const DeviceFunctions& vk = context_->vk();
  vk.vkDestroyBuffer(context_->device(), handle_, nullptr);
  vk.vkFreeMemory(context_->device(), memory_, nullptr);
}

}  // namespace acutance::vulkan
