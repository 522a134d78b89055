// Recordings are lists of commands, checked once and put into an in-order queue each time. Graphs would be faster to
// start, but the one device that tests have, Intel's OpenCL for CPUs, offers only the limited kind.
#pragma once

#include <memory>
#include <span>
#include <sycl/sycl.hpp>

#include "backend/sycl/context.h"
#include "base/status.h"
#include "exec/device.h"

namespace acutance::sycl_backend {

class AsyncErrors;

class SyclQueue : public Queue {
 public:
  static Result<std::unique_ptr<Queue>> Make(std::shared_ptr<Context> context);
  ~SyclQueue() override;  // waits: buffers may go right after

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override;
  Status Submit(Recording& recording) override;
  Status Copy(std::span<const CopyCommand> copies) override;
  Result<std::unique_ptr<Mark>> MarkEnd() override;
  Status Wait() override;

 private:
  SyclQueue(std::shared_ptr<Context> context, const std::shared_ptr<AsyncErrors>& errors);

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<AsyncErrors> errors_;
  std::unique_ptr<sycl::queue> queue_;  // left to itself where the device hangs
};

}  // namespace acutance::sycl_backend
