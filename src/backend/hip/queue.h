// Recordings are HIP graphs; a queue is a stream that launches them.
#pragma once

#include <memory>
#include <span>

#include "backend/hip/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::hip {

class HipQueue : public Queue {
 public:
  static Result<std::unique_ptr<Queue>> Make(std::shared_ptr<Context> context);
  ~HipQueue() override;  // waits: buffers may go right after

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override;
  Status Submit(Recording& recording) override;
  Status Copy(std::span<const CopyCommand> copies) override;
  Result<std::unique_ptr<Mark>> MarkEnd() override;
  Status Wait() override;

 private:
  HipQueue(std::shared_ptr<Context> context, hipStream_t stream) : context_(std::move(context)), stream_(stream) {}

  Status Enqueue(const CopyCommand& copy);
  Status Enqueue(const LaunchCommand& launch);

  const std::shared_ptr<Context> context_;
  hipStream_t stream_;
};

}  // namespace acutance::hip
