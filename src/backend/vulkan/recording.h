// Recorded commands: a command buffer, and the semaphore that counts its submissions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/vulkan/context.h"
#include "backend/vulkan/profiling.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::vulkan {

/// A semaphore that counts: it reaches n when a queue's n-th submission is done. Outlived by what waits for it.
class Timeline {
 public:
  static Result<std::shared_ptr<Timeline>> Make(std::shared_ptr<Context> context);
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  Context& context() const { return *context_; }
  VkSemaphore handle() const { return handle_; }
  VkResult WaitFor(uint64_t value) const;

 private:
  Timeline(std::shared_ptr<Context> context, VkSemaphore handle) : context_(std::move(context)), handle_(handle) {}

  const std::shared_ptr<Context> context_;
  const VkSemaphore handle_;
};

/// A command buffer.
class VulkanRecording : public Recording {
 public:
  /// A recording for submissions to `queue`.
  static Result<std::unique_ptr<VulkanRecording>> Make(std::shared_ptr<Timeline> timeline, SubmissionQueue& queue);
  ~VulkanRecording() override;  // waits for its last submission

  /// Replaces what it held, which runs no more.
  Status Fill(std::span<const Command> commands);

  VkCommandBuffer handle() const { return handle_; }
  SubmissionQueue& queue() const { return queue_; }
  /// The times of the submission before are lost.
  Status PrepareTimes();
  void SubmittedAs(uint64_t value) { last_submission_ = value; }

 private:
  /// Bytes of a buffer that a command uses; those of all buffers where there is none.
  struct Use {
    const Buffer* buffer;
    size_t begin, end;
    bool writes;
  };

  VulkanRecording(std::shared_ptr<Timeline> timeline, SubmissionQueue& queue)
      : timeline_(std::move(timeline)), queue_(queue) {}

  Context& context() const { return timeline_->context(); }
  Status Create();
  Status Begin();
  Status End();
  Status Append(const CopyCommand& copy);
  Status Append(const LaunchCommand& launch);
  /// Orders the next command, which runs in `stage`, after those before that it must not run next to.
  void OrderAfterOthers(VkPipelineStageFlags stage, std::span<const Use> uses);
  bool Conflicts(const Use& use) const;
  void Barrier(VkPipelineStageFlags stages);

  const std::shared_ptr<Timeline> timeline_;
  SubmissionQueue& queue_;
  VkCommandPool pool_ = VK_NULL_HANDLE;  // of its own, so that recordings go in any order and on any thread
  VkCommandBuffer handle_ = nullptr;
  VkPipelineStageFlags stage_ = 0;        // of the last command
  VkPipelineStageFlags writes_host_ = 0;  // stages that write memory of the host
  std::vector<Use> uses_;                 // since the last barrier
  std::unique_ptr<Times> times_;          // null unless they were asked for
  uint64_t last_submission_ = 0;
};

/// A queue for recordings and copies.
Result<std::unique_ptr<Queue>> MakeQueue(std::shared_ptr<Context> context);

}  // namespace acutance::vulkan
