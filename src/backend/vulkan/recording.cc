#include "backend/vulkan/recording.h"

#include "backend/vulkan/buffer.h"
#include "backend/vulkan/error.h"
#include "backend/vulkan/kernel.h"
#include "exec/check_copy.h"

namespace acutance::vulkan {
namespace {

VkBuffer HandleOf(const Buffer& buffer) { return static_cast<const VulkanBuffer&>(buffer).handle(); }

Status CheckLaunch(const LaunchCommand& launch, const VulkanKernel& kernel, const VkPhysicalDeviceLimits& limits) {
  const int64_t grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const uint32_t* most = limits.maxComputeWorkGroupCount;
  for (int i = 0; i < 3; ++i)
    if (grid[i] < 1 || grid[i] > most[i])
      return Error(StatusCode::kInvalidArgument,
                   "kernel {} cannot be launched on {}x{}x{} workgroups: from 1 to {}x{}x{}", kernel.symbol(), grid[0],
                   grid[1], grid[2], most[0], most[1], most[2]);
  if (launch.args.size() == kernel.args_bytes()) return {};
  return Error(StatusCode::kInvalidArgument, "kernel {} takes {} bytes of arguments, not {}", kernel.symbol(),
               kernel.args_bytes(), launch.args.size());
}

}  // namespace

Result<std::unique_ptr<Recording>> VulkanRecording::Make(std::shared_ptr<Timeline> timeline,
                                                         std::span<const Command> commands) {
  std::unique_ptr<VulkanRecording> recording(new VulkanRecording(std::move(timeline)));
  ACU_RETURN_IF_ERROR(recording->Begin());
  for (const Command& command : commands)
    ACU_RETURN_IF_ERROR(std::visit([&](const auto& c) { return recording->Append(c); }, command));
  ACU_RETURN_IF_ERROR(recording->End());
  return std::unique_ptr<Recording>(std::move(recording));
}

// The queue reports how the submission ended; here it only must not run any more.
VulkanRecording::~VulkanRecording() {
  if (last_submission_ > 0) static_cast<void>(timeline_->WaitFor(last_submission_));
  context().vk().vkDestroyCommandPool(context().device(), pool_, nullptr);
}

Status VulkanRecording::Begin() {
  const DeviceFunctions& vk = context().vk();
  VkCommandPoolCreateInfo of_pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  of_pool.queueFamilyIndex = context().physical().queue_family;
  ACU_RETURN_IF_ERROR(
      context().Check(vk.vkCreateCommandPool(context().device(), &of_pool, nullptr, &pool_), "begin a recording"));
  VkCommandBufferAllocateInfo which = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  which.commandPool = pool_;
  which.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  which.commandBufferCount = 1;
  ACU_RETURN_IF_ERROR(
      context().Check(vk.vkAllocateCommandBuffers(context().device(), &which, &handle_), "begin a recording"));
  VkCommandBufferBeginInfo settings = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  settings.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;  // submitted again before it is done
  ACU_RETURN_IF_ERROR(context().Check(vk.vkBeginCommandBuffer(handle_, &settings), "begin a recording"));
  Barrier();  // after what was submitted before
  return {};
}

// What the host reads must be made visible to it; the end of a submission alone does not.
Status VulkanRecording::End() {
  const VkMemoryBarrier to_host = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                                   VK_ACCESS_HOST_READ_BIT};
  const DeviceFunctions& vk = context().vk();
  vk.vkCmdPipelineBarrier(handle_, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                          nullptr, 0, nullptr);
  return context().Check(vk.vkEndCommandBuffer(handle_), "end a recording");
}

/// All that follows sees all writes before, and overwrites nothing that is still read.
void VulkanRecording::Barrier() {
  constexpr VkPipelineStageFlags kStages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  const VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                               VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
  context().vk().vkCmdPipelineBarrier(handle_, kStages, kStages, 0, 1, &all, 0, nullptr, 0, nullptr);
  read_.clear();
  written_.clear();
}

// Copies between different buffers need not wait for each other: a batch uploads all planes at once.
Status VulkanRecording::Append(const CopyCommand& copy) {
  ACU_RETURN_IF_ERROR(CheckCopy(copy));
  if (copy.to_extent() == 0) return {};
  if (written_.contains(copy.from) || written_.contains(copy.to) || read_.contains(copy.to)) Barrier();
  read_.insert(copy.from);
  written_.insert(copy.to);
  std::vector<VkBufferCopy> regions;
  for (size_t row = 0; row < copy.rows; ++row)
    regions.push_back({copy.from_offset + row * copy.from_stride, copy.to_offset + row * copy.to_stride, copy.bytes});
  context().vk().vkCmdCopyBuffer(handle_, HandleOf(*copy.from), HandleOf(*copy.to),
                                 static_cast<uint32_t>(regions.size()), regions.data());
  return {};
}

Status VulkanRecording::Append(const LaunchCommand& launch) {
  const auto& kernel = static_cast<const VulkanKernel&>(*launch.kernel);
  ACU_RETURN_IF_ERROR(CheckLaunch(launch, kernel, context().physical().limits));
  if (!written_.empty()) Barrier();  // every launch leaves one behind
  const DeviceFunctions& vk = context().vk();
  vk.vkCmdBindPipeline(handle_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline());
  vk.vkCmdPushConstants(handle_, context().layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                        static_cast<uint32_t>(launch.args.size()), launch.args.data());
  vk.vkCmdDispatch(handle_, static_cast<uint32_t>(launch.grid.x), static_cast<uint32_t>(launch.grid.y),
                   static_cast<uint32_t>(launch.grid.z));
  Barrier();
  return {};
}

}  // namespace acutance::vulkan
