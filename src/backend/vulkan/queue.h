// Recordings are command buffers; a queue submits them, kernels and copies to queues of the driver that work side by
// side, and counts the ends of its submissions with a semaphore. By that each waits for the one before, and for nothing
// that other queues submitted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/vulkan/context.h"
#include "backend/vulkan/recording.h"
#include "backend/vulkan/timeline.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::vulkan {

class VulkanQueue : public Queue {
 public:
  static Result<std::unique_ptr<Queue>> Make(std::shared_ptr<Context> context);
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
  VulkanQueue(std::shared_ptr<Timeline> timeline, SubmissionQueue& kernels, SubmissionQueue& copies)
      : timeline_(std::move(timeline)), kernels_(kernels), copies_(copies) {}

  const std::shared_ptr<Timeline> timeline_;
  SubmissionQueue& kernels_;
  SubmissionQueue& copies_;
  uint64_t submitted_ = 0;
  Recordings copying_;  // on their way; until the next Wait
  Recordings idle_;     // copied: to be filled again
};

}  // namespace acutance::vulkan
