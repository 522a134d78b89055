#include "backend/vulkan/recording.h"

#include <algorithm>
#include <climits>

#include "backend/vulkan/buffer.h"
#include "backend/vulkan/kernel.h"
#include "exec/device_checks.h"

namespace acutance::vulkan {
namespace {

constexpr VkPipelineStageFlags kCopies = VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkPipelineStageFlags kLaunches = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;

VkAccessFlags WritesIn(VkPipelineStageFlags stages) {
  return (stages & kCopies ? VK_ACCESS_TRANSFER_WRITE_BIT : 0) | (stages & kLaunches ? VK_ACCESS_SHADER_WRITE_BIT : 0);
}

VkAccessFlags ReadsIn(VkPipelineStageFlags stages) {
  return (stages & kCopies ? VK_ACCESS_TRANSFER_READ_BIT : 0) | (stages & kLaunches ? VK_ACCESS_SHADER_READ_BIT : 0);
}

VkBuffer HandleOf(const Buffer& buffer) { return static_cast<const VulkanBuffer&>(buffer).handle(); }

Grid MostWorkgroups(const VkPhysicalDeviceLimits& limits) {
  const auto most = [&](int axis) {
    return static_cast<int>(std::min<uint32_t>(limits.maxComputeWorkGroupCount[axis], INT_MAX));
  };
  return {most(0), most(1), most(2)};
}

}  // namespace

Result<std::shared_ptr<Timeline>> Timeline::Make(std::shared_ptr<Context> context) {
  VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo settings = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  settings.pNext = &type;
  VkSemaphore handle = VK_NULL_HANDLE;
  ACU_RETURN_IF_ERROR(
      context->Check(context->vk().vkCreateSemaphore(context->device(), &settings, nullptr, &handle), "make a queue"));
  return std::shared_ptr<Timeline>(new Timeline(std::move(context), handle));
}

Timeline::~Timeline() {
  if (!context_->is_abandoned()) context_->vk().vkDestroySemaphore(context_->device(), handle_, nullptr);
}

VkResult Timeline::WaitFor(uint64_t value) const {
  VkSemaphoreWaitInfo which = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  which.semaphoreCount = 1;
  which.pSemaphores = &handle_;
  which.pValues = &value;
  constexpr uint64_t kSlice = 50'000'000;  // nanoseconds; the driver wakes this thread when the value is reached
  VkResult result = VK_SUCCESS;
  const Result<bool> ended = context_->health().patience().Wait([&]() -> Result<bool> {
    result = context_->vk().vkWaitSemaphores(context_->device(), &which, kSlice);
    return result != VK_TIMEOUT;
  });
  if (ended.ok() && *ended) return result;
  context_->health().Abandon();
  return VK_TIMEOUT;
}

Result<std::unique_ptr<VulkanRecording>> VulkanRecording::Make(std::shared_ptr<Timeline> timeline,
                                                               SubmissionQueue& queue) {
  std::unique_ptr<VulkanRecording> recording(new VulkanRecording(std::move(timeline), queue));
  ACU_RETURN_IF_ERROR(recording->Create());
  return recording;
}

Status VulkanRecording::Create() {
  const DeviceFunctions& vk = context().vk();
  VkCommandPoolCreateInfo of_pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  of_pool.queueFamilyIndex = queue_.family;
  ACU_RETURN_IF_ERROR(
      context().Check(vk.vkCreateCommandPool(context().device(), &of_pool, nullptr, &pool_), "begin a recording"));
  VkCommandBufferAllocateInfo which = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  which.commandPool = pool_;
  which.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  which.commandBufferCount = 1;
  ACU_RETURN_IF_ERROR(
      context().Check(vk.vkAllocateCommandBuffers(context().device(), &which, &handle_), "begin a recording"));
  ACU_ASSIGN_OR_RETURN(times_, Times::Make(context(), queue_.family));
  return {};
}

// The queue reports how the submission ended; here it only must not run any more.
VulkanRecording::~VulkanRecording() {
  const bool done =
      last_submission_ > 0 && !context().is_abandoned() && timeline_->WaitFor(last_submission_) == VK_SUCCESS;
  if (context().is_abandoned()) return;
  if (done && times_) times_->Print();
  context().vk().vkDestroyCommandPool(context().device(), pool_, nullptr);
}

Status VulkanRecording::Fill(std::span<const Command> commands) {
  ACU_RETURN_IF_ERROR(Begin());
  for (const Command& command : commands)
    ACU_RETURN_IF_ERROR(std::visit([&](const auto& c) { return Append(c); }, command));
  return End();
}

Status VulkanRecording::Begin() {
  const DeviceFunctions& vk = context().vk();
  ACU_RETURN_IF_ERROR(context().Check(vk.vkResetCommandPool(context().device(), pool_, 0), "begin a recording"));
  VkCommandBufferBeginInfo settings = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  settings.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;  // submitted again before it is done
  ACU_RETURN_IF_ERROR(context().Check(vk.vkBeginCommandBuffer(handle_, &settings), "begin a recording"));
  uses_.clear();
  stage_ = writes_host_ = 0;
  if (times_) times_->Clear(), times_->Mark(handle_, "");
  return {};
}

// What the host reads must be made visible to it; the end of a submission alone does not.
Status VulkanRecording::End() {
  const DeviceFunctions& vk = context().vk();
  const VkMemoryBarrier to_host = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, WritesIn(writes_host_),
                                   VK_ACCESS_HOST_READ_BIT};
  if (writes_host_ != 0)
    vk.vkCmdPipelineBarrier(handle_, writes_host_, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, nullptr, 0, nullptr);
  return context().Check(vk.vkEndCommandBuffer(handle_), "end a recording");
}

Status VulkanRecording::PrepareTimes() {
  if (!times_) return {};
  if (last_submission_ > 0)
    ACU_RETURN_IF_ERROR(context().Check(timeline_->WaitFor(last_submission_), "read the times of its commands"));
  times_->Reset();
  return {};
}

/// Where launches follow copies or copies launches, all are ordered; so the barriers between launches need not name
/// copies. On NVIDIA's driver those that do wait for what the copy engine is doing for others.
void VulkanRecording::OrderAfterOthers(VkPipelineStageFlags stage, std::span<const Use> uses) {
  const VkPipelineStageFlags before = std::exchange(stage_, stage);
  if (before != 0 && before != stage) Barrier(before | stage);
  else if (times_ || std::ranges::any_of(uses, [&](const Use& use) { return Conflicts(use); })) Barrier(stage);
  uses_.insert(uses_.end(), uses.begin(), uses.end());
  const auto writes_host = [](const Use& use) { return use.writes && (!use.buffer || use.buffer->host()); };
  if (std::ranges::any_of(uses, writes_host)) writes_host_ |= stage;
}

/// All that follows in `stages` sees all writes there before, and overwrites nothing that is still read.
void VulkanRecording::Barrier(VkPipelineStageFlags stages) {
  const VkAccessFlags writes = WritesIn(stages);
  const VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, writes, writes | ReadsIn(stages)};
  context().vk().vkCmdPipelineBarrier(handle_, stages, stages, 0, 1, &all, 0, nullptr, 0, nullptr);
  uses_.clear();
}

bool VulkanRecording::Conflicts(const Use& use) const {
  return std::ranges::any_of(uses_, [&](const Use& before) {
    if (!before.writes && !use.writes) return false;
    if (!before.buffer || !use.buffer) return true;
    return before.buffer == use.buffer && before.begin < use.end && use.begin < before.end;
  });
}

Status VulkanRecording::Append(const CopyCommand& copy) {
  ACU_RETURN_IF_ERROR(CheckCopy(copy));
  if (copy.to_extent() == 0) return {};
  const Use uses[] = {{copy.from, copy.from_offset, copy.from_offset + copy.from_extent(), false},
                      {copy.to, copy.to_offset, copy.to_offset + copy.to_extent(), true}};
  OrderAfterOthers(kCopies, uses);
  std::vector<VkBufferCopy> regions;
  for (size_t row = 0; row < copy.rows; ++row)
    regions.push_back({copy.from_offset + row * copy.from_stride, copy.to_offset + row * copy.to_stride, copy.bytes});
  context().vk().vkCmdCopyBuffer(handle_, HandleOf(*copy.from), HandleOf(*copy.to),
                                 static_cast<uint32_t>(regions.size()), regions.data());
  if (times_) times_->Mark(handle_, fmt::format("copy of {} bytes", copy.bytes * copy.rows));
  return {};
}

Status VulkanRecording::Append(const LaunchCommand& launch) {
  const auto& kernel = static_cast<const VulkanKernel&>(*launch.kernel);
  ACU_RETURN_IF_ERROR(
      CheckLaunch(launch, kernel.symbol(), kernel.args_bytes(), MostWorkgroups(context().physical().limits)));
  std::vector<Use> uses;
  for (const Buffer* buffer : launch.shares) uses.push_back({buffer, 0, SIZE_MAX, true});
  if (uses.empty()) uses.push_back({nullptr, 0, SIZE_MAX, true});
  OrderAfterOthers(kLaunches, uses);
  const DeviceFunctions& vk = context().vk();
  vk.vkCmdBindPipeline(handle_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline());
  vk.vkCmdPushConstants(handle_, context().layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                        static_cast<uint32_t>(launch.args.size()), launch.args.data());
  vk.vkCmdDispatch(handle_, static_cast<uint32_t>(launch.grid.x), static_cast<uint32_t>(launch.grid.y),
                   static_cast<uint32_t>(launch.grid.z));
  if (times_)
    times_->Mark(handle_, fmt::format("{} on {}x{}x{}", kernel.symbol(), launch.grid.x, launch.grid.y, launch.grid.z));
  return {};
}

}  // namespace acutance::vulkan
