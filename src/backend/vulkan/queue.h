// Recordings are command buffers; a queue submits them and counts the ends of its submissions with a semaphore.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/vulkan/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::vulkan {

/// A timeline semaphore: reaches n when a queue's n-th submission is done. Outlived by what waits for it.
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

class VulkanQueue : public Queue {
 public:
  static Result<std::unique_ptr<Queue>> Make(std::shared_ptr<Context> context);
  ~VulkanQueue() override;  // waits: buffers may go right after

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override;
  Status Submit(Recording& recording) override;
  Status Copy(std::span<const CopyCommand> copies) override;
  Status Wait() override;

 private:
  VulkanQueue(std::shared_ptr<Timeline> timeline, SubmissionQueue& queue)
      : timeline_(std::move(timeline)), queue_(queue) {}

  const std::shared_ptr<Timeline> timeline_;
  SubmissionQueue& queue_;
  uint64_t submitted_ = 0;
  std::vector<std::unique_ptr<Recording>> copies_;  // on their way; kept until the next Wait
};

}  // namespace acutance::vulkan
