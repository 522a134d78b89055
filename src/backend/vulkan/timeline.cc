#include "backend/vulkan/timeline.h"

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
  const Result<bool> ended = context_->patience().Wait([&]() -> Result<bool> {
    result = context_->vk().vkWaitSemaphores(context_->device(), &which, kSlice);
    return result != VK_TIMEOUT;
  });
  if (ended.ok() && *ended) return result;
  context_->Abandon();
  return VK_TIMEOUT;
}

}  // namespace acutance::vulkan
