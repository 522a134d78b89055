// Opened Vulkan device, which buffers, kernels and queues share and which outlives them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "backend/vulkan/driver.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/progress_timeout.h"

namespace acutance::vulkan {

class PipelineCache;

/// A queue of the driver, which takes work from one thread at a time.
struct SubmissionQueue {
  VkQueue handle = nullptr;
  uint32_t family = 0;
  std::mutex mutex;
};

class Context {
 public:
  static constexpr uint32_t kPushBytes = 128;  // for arguments; what every Vulkan device has

  static Result<std::shared_ptr<Context>> Open(std::shared_ptr<const Driver> driver, PhysicalDevice physical);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const DeviceFunctions& vk() const { return vk_; }
  VkDevice device() const { return device_; }
  const PhysicalDevice& physical() const { return physical_; }
  const DeviceInfo& info() const { return physical_.info; }
  std::optional<size_t> FreeMemory() const { return vulkan::FreeMemory(*driver_, physical_); }
  VkPipelineLayout layout() const { return layout_; }  // of all kernels: kPushBytes of arguments
  VkPipelineCache pipeline_cache() const;              // null when the driver has none to give

  /// Ok, or an error that says what failed while `doing` that. Remembers a failure that no later call survives.
  Status Check(VkResult result, std::string_view doing);

  DeviceHealth& health() { return health_; }
  bool is_abandoned() const { return health_.is_abandoned(); }
  /// Ok, or why the device takes no calls any more.
  Status Lost() const { return health_.Check(info().name); }

  /// Whether kernels that ask for it are compiled with the device's fma().
  bool fuses() const { return fuses_; }
  void set_fuses(bool fuses) { fuses_ = fuses; }

  /// Compiles `image` at its first use; the pipeline lives as long as the context.
  Result<VkPipeline> PipelineOf(const KernelImage& image);

  SubmissionQueue& kernel_queue() { return kernel_queue_; }
  /// The queue for copies next to the kernels, or the kernels' own where the device has no other.
  SubmissionQueue& copy_queue() { return physical_.copy_family ? copy_queue_ : kernel_queue_; }

 private:
  /// A pipeline, or the place of one. Threads compile different ones side by side.
  struct Compiled {
    std::mutex mutex;
    VkPipeline pipeline = VK_NULL_HANDLE;
  };

  Context(std::shared_ptr<const Driver> driver, PhysicalDevice physical);
  Status Create();
  Status FindFunctions();
  Compiled& CompiledOf(const std::byte* code);
  void FindQueue(uint32_t family, SubmissionQueue& queue) const;

  const std::shared_ptr<const Driver> driver_;
  const PhysicalDevice physical_;
  DeviceFunctions vk_;
  VkDevice device_ = nullptr;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::unique_ptr<PipelineCache> cache_;
  SubmissionQueue kernel_queue_;
  SubmissionQueue copy_queue_;
  DeviceHealth health_;
  std::atomic<bool> fuses_ = false;
  std::mutex compiled_mutex_;
  std::map<const std::byte*, Compiled> compiled_;  // by the embedded code
};

}  // namespace acutance::vulkan
