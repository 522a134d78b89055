// Pool of reusable frame jobs: for frames on a device, allocations are the largest cost on the host.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/frame_job.h"

namespace acutance {

/// Outlives the jobs that it hands out.
class JobPool {
 public:
  using Maker = std::function<std::unique_ptr<FrameJob>()>;

  explicit JobPool(Maker make) : make_(std::move(make)) {}

  /// One thread at a time. The job returns on the thread that drops the last reference to it, which therefore has seen
  /// everything that other threads did with it.
  std::shared_ptr<FrameJob> Take();

 private:
  using Jobs = std::vector<std::unique_ptr<FrameJob>>;

  std::unique_ptr<FrameJob> TakeOrMake();
  void Return(std::unique_ptr<FrameJob> job);

  const Maker make_;
  Jobs own_;  // the taking thread's share of the spare ones, fetched all at once
  std::mutex mutex_;
  Jobs spare_;
};

}  // namespace acutance
