#include "backend/vulkan/queue.h"

#include "backend/vulkan/error.h"
#include "backend/vulkan/recording.h"

namespace acutance::vulkan {

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

Timeline::~Timeline() { context_->vk().vkDestroySemaphore(context_->device(), handle_, nullptr); }

VkResult Timeline::WaitFor(uint64_t value) const {
  VkSemaphoreWaitInfo which = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  which.semaphoreCount = 1;
  which.pSemaphores = &handle_;
  which.pValues = &value;
  return context_->vk().vkWaitSemaphores(context_->device(), &which, UINT64_MAX);
}

Result<std::unique_ptr<Queue>> VulkanQueue::Make(std::shared_ptr<Context> context) {
  ACU_RETURN_IF_ERROR(context->Lost());
  SubmissionQueue& queue = context->NextQueue();
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Timeline> timeline, Timeline::Make(std::move(context)));
  return std::unique_ptr<Queue>(new VulkanQueue(std::move(timeline), queue));
}

VulkanQueue::~VulkanQueue() { static_cast<void>(timeline_->WaitFor(submitted_)); }

Result<std::unique_ptr<Recording>> VulkanQueue::Record(std::span<const Command> commands) {
  ACU_RETURN_IF_ERROR(timeline_->context().Lost());
  return VulkanRecording::Make(timeline_, commands);
}

Status VulkanQueue::Submit(Recording& recording) {
  Context& context = timeline_->context();
  ACU_RETURN_IF_ERROR(context.Lost());
  auto& commands = static_cast<VulkanRecording&>(recording);
  const VkCommandBuffer buffer = commands.handle();
  const VkSemaphore semaphore = timeline_->handle();
  const uint64_t value = submitted_ + 1;
  VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  VkSubmitInfo settings = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  settings.pNext = &values;
  settings.commandBufferCount = 1;
  settings.pCommandBuffers = &buffer;
  settings.signalSemaphoreCount = 1;
  settings.pSignalSemaphores = &semaphore;
  {
    const std::lock_guard lock(queue_.mutex);
    ACU_RETURN_IF_ERROR(
        context.Check(context.vk().vkQueueSubmit(queue_.handle, 1, &settings, VK_NULL_HANDLE), "start a recording"));
  }
  submitted_ = value;
  commands.SubmittedAs(value);
  return {};
}

Status VulkanQueue::Copy(std::span<const CopyCommand> copies) {
  const std::vector<Command> commands(copies.begin(), copies.end());
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Recording> recording, Record(commands));
  ACU_RETURN_IF_ERROR(Submit(*recording));
  copies_.push_back(std::move(recording));
  return {};
}

Status VulkanQueue::Wait() {
  Context& context = timeline_->context();
  ACU_RETURN_IF_ERROR(context.Lost());
  ACU_RETURN_IF_ERROR(context.Check(timeline_->WaitFor(submitted_), "finish what was submitted"));
  copies_.clear();
  return {};
}

}  // namespace acutance::vulkan
