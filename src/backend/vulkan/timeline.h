// A semaphore that counts.
#pragma once

#include <cstdint>
#include <memory>

#include "backend/vulkan/context.h"
#include "base/status.h"

namespace acutance::vulkan {

/// Reaches n when a queue's n-th submission is done. Outlived by what waits for it.
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

}  // namespace acutance::vulkan
