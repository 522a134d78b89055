#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "backend/vulkan/recording.h"

namespace acutance::vulkan {
namespace {

class VulkanMark : public Mark {
 public:
  VulkanMark(std::shared_ptr<Timeline> timeline, uint64_t value) : timeline_(std::move(timeline)), value_(value) {}

  Status Wait() override { return timeline_->context().Check(timeline_->WaitFor(value_), "finish what was marked"); }

 private:
  const std::shared_ptr<Timeline> timeline_;
  const uint64_t value_;
};

/// Submits recordings, kernels and copies to queues of the driver that work side by side, and counts the ends of its
/// submissions with a semaphore. By that each waits for the one before, and for nothing that other queues submitted.
class VulkanQueue : public Queue {
 public:
  VulkanQueue(std::shared_ptr<Timeline> timeline, SubmissionQueue& kernels, SubmissionQueue& copies)
      : timeline_(std::move(timeline)), kernels_(kernels), copies_(copies) {}
  ~VulkanQueue() override;  // waits: buffers may go right after

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override;
  Status Submit(Recording& recording) override;
  Status Copy(std::span<const CopyCommand> copies) override;
  size_t BestCopyBytes() const override { return size_t{12} << 20; }  // smaller ones cost NVIDIA's driver too much
  Result<std::unique_ptr<Mark>> MarkEnd() override;
  Status Wait() override;

 private:
  using Recordings = std::vector<std::unique_ptr<VulkanRecording>>;

  void WaitUntilIdle(SubmissionQueue& queue) const;

  const std::shared_ptr<Timeline> timeline_;
  SubmissionQueue& kernels_;
  SubmissionQueue& copies_;
  uint64_t submitted_ = 0;
  Recordings copying_;  // not complete before the next Wait
  Recordings idle_;     // complete, for reuse
};

// Mesa 22.3 may touch a semaphore just after it was reached, so that the queues end before it is destroyed.
VulkanQueue::~VulkanQueue() {
  if (!timeline_->context().is_abandoned()) static_cast<void>(timeline_->WaitFor(submitted_));
  if (submitted_ == 0 || timeline_->context().is_abandoned()) return;
  WaitUntilIdle(kernels_);
  if (&copies_ != &kernels_) WaitUntilIdle(copies_);
}

void VulkanQueue::WaitUntilIdle(SubmissionQueue& queue) const {
  const std::lock_guard lock(queue.mutex);
  timeline_->context().vk().vkQueueWaitIdle(queue.handle);
}

Result<std::unique_ptr<Recording>> VulkanQueue::Record(std::span<const Command> commands) {
  ACU_RETURN_IF_ERROR(timeline_->context().Lost());
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VulkanRecording> recording, VulkanRecording::Make(timeline_, kernels_));
  ACU_RETURN_IF_ERROR(recording->Fill(commands));
  return std::unique_ptr<Recording>(std::move(recording));
}

Status VulkanQueue::Submit(Recording& recording) {
  Context& context = timeline_->context();
  ACU_RETURN_IF_ERROR(context.Lost());
  auto& commands = static_cast<VulkanRecording&>(recording);
  ACU_RETURN_IF_ERROR(commands.PrepareTimes());
  const VkCommandBuffer buffer = commands.handle();
  const VkSemaphore semaphore = timeline_->handle();
  const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const uint64_t value = submitted_ + 1;
  VkTimelineSemaphoreSubmitInfo values = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  VkSubmitInfo settings = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
  settings.pNext = &values;
  SubmissionQueue& queue = commands.queue();
  values.waitSemaphoreValueCount = settings.waitSemaphoreCount = submitted_ > 0;
  values.pWaitSemaphoreValues = &submitted_;
  settings.pWaitSemaphores = &semaphore;
  settings.pWaitDstStageMask = &all;
  settings.commandBufferCount = 1;
  settings.pCommandBuffers = &buffer;
  values.signalSemaphoreValueCount = settings.signalSemaphoreCount = 1;
  values.pSignalSemaphoreValues = &value;
  settings.pSignalSemaphores = &semaphore;
  {
    const std::lock_guard lock(queue.mutex);
    ACU_RETURN_IF_ERROR(
        context.Check(context.vk().vkQueueSubmit(queue.handle, 1, &settings, VK_NULL_HANDLE), "start a recording"));
  }
  submitted_ = value;
  commands.SubmittedAs(value);
  return {};
}

Status VulkanQueue::Copy(std::span<const CopyCommand> copies) {
  ACU_RETURN_IF_ERROR(timeline_->context().Lost());
  std::unique_ptr<VulkanRecording> recording;
  if (idle_.empty()) {
    ACU_ASSIGN_OR_RETURN(recording, VulkanRecording::Make(timeline_, copies_));
  } else {
    recording = std::move(idle_.back());
    idle_.pop_back();
  }
  const std::vector<Command> commands(copies.begin(), copies.end());
  ACU_RETURN_IF_ERROR(recording->Fill(commands));
  ACU_RETURN_IF_ERROR(Submit(*recording));
  copying_.push_back(std::move(recording));
  return {};
}

Result<std::unique_ptr<Mark>> VulkanQueue::MarkEnd() {
  return std::unique_ptr<Mark>(std::make_unique<VulkanMark>(timeline_, submitted_));
}

Status VulkanQueue::Wait() {
  Context& context = timeline_->context();
  ACU_RETURN_IF_ERROR(context.Lost());
  ACU_RETURN_IF_ERROR(context.Check(timeline_->WaitFor(submitted_), "finish what was submitted"));
  std::ranges::move(std::exchange(copying_, {}), std::back_inserter(idle_));
  return {};
}

}  // namespace

Result<std::unique_ptr<Queue>> MakeQueue(std::shared_ptr<Context> context) {
  ACU_RETURN_IF_ERROR(context->Lost());
  SubmissionQueue& kernels = context->kernel_queue();
  SubmissionQueue& copies = context->copy_queue();
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Timeline> timeline, Timeline::Make(std::move(context)));
  return std::unique_ptr<Queue>(std::make_unique<VulkanQueue>(std::move(timeline), kernels, copies));
}

}  // namespace acutance::vulkan
