// Recordings are CUDA graphs; a queue is a stream that launches them.
#pragma once

#include <memory>
#include <span>

#include "backend/cuda/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::cuda {

class CudaQueue : public Queue {
 public:
  static Result<std::unique_ptr<Queue>> Make(std::shared_ptr<Context> context);
  ~CudaQueue() override;  // waits: buffers may go right after

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override;
  Status Submit(Recording& recording) override;
  Status Copy(std::span<const CopyCommand> copies) override;
  Result<std::unique_ptr<Mark>> MarkEnd() override;
  Status Wait() override;

 private:
  CudaQueue(std::shared_ptr<Context> context, CUstream stream) : context_(std::move(context)), stream_(stream) {}

  Status Enqueue(const CopyCommand& copy);
  Status Enqueue(const LaunchCommand& launch);

  const std::shared_ptr<Context> context_;
  CUstream stream_;
};

}  // namespace acutance::cuda
