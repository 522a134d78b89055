// A command buffer, filled once.
#pragma once

#include <memory>
#include <set>
#include <span>

#include "backend/vulkan/queue.h"

namespace acutance::vulkan {

class VulkanRecording : public Recording {
 public:
  static Result<std::unique_ptr<Recording>> Make(std::shared_ptr<Timeline> timeline, std::span<const Command> commands);
  ~VulkanRecording() override;  // waits for its last submission

  VkCommandBuffer handle() const { return handle_; }
  void SubmittedAs(uint64_t value) { last_submission_ = value; }

 private:
  explicit VulkanRecording(std::shared_ptr<Timeline> timeline) : timeline_(std::move(timeline)) {}

  Context& context() const { return timeline_->context(); }
  Status Begin();
  Status End();
  Status Append(const CopyCommand& copy);
  Status Append(const LaunchCommand& launch);
  void Barrier();

  const std::shared_ptr<Timeline> timeline_;
  VkCommandPool pool_ = VK_NULL_HANDLE;  // of its own, so that recordings go in any order and on any thread
  VkCommandBuffer handle_ = nullptr;
  std::set<const Buffer*> read_, written_;  // by copies since the last barrier
  uint64_t last_submission_ = 0;
};

}  // namespace acutance::vulkan
